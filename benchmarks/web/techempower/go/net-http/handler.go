package main

import (
	"bytes"
	"context"
	"encoding/json"
	"html/template"
	"log"
	"net/http"
	"strconv"
)

const (
	greeting    = "Hello, World!"
	mostQueries = 500
)

type message struct {
	Message string `json:"message"`
}

var page = template.Must(template.New("fortunes").Parse(
	`<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>` +
		`<tr><th>id</th><th>message</th></tr>` +
		`{{range .}}<tr><td>{{.ID}}</td><td>{{.Message}}</td></tr>{{end}}` +
		`</table></body></html>`))

func newHandler(database *database) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(response http.ResponseWriter, _ *http.Request) {
		send(response, "text/plain", []byte(greeting))
	})
	mux.HandleFunc("GET /json", func(response http.ResponseWriter, _ *http.Request) {
		sendJSON(response, message{greeting}, nil)
	})
	mux.HandleFunc("GET /db", func(response http.ResponseWriter, request *http.Request) {
		row, err := database.random(request.Context())
		sendJSON(response, row, err)
	})
	mux.HandleFunc("GET /queries", rows(database.randomRows))
	mux.HandleFunc("GET /updates", rows(database.update))
	mux.HandleFunc("GET /fortunes", func(response http.ResponseWriter, request *http.Request) {
		fortunes, err := database.fortunes(request.Context())
		var body bytes.Buffer
		if err == nil {
			err = page.Execute(&body, fortunes)
		}
		if err != nil {
			fail(response, err)
			return
		}
		send(response, "text/html; charset=utf-8", body.Bytes())
	})
	return mux
}

// rows answers with as many rows as the request asks for.
func rows(read func(context.Context, int) ([]world, error)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		found, err := read(request.Context(), count(request.URL.Query().Get("queries")))
		sendJSON(response, found, err)
	}
}

// count is what a text means as a number of queries.
func count(text string) int {
	number, err := strconv.Atoi(text)
	switch {
	case err != nil && number == 0, number < 1:
		return 1
	case number > mostQueries: // also a number out of range, which Atoi cuts off
		return mostQueries
	}
	return number
}

func sendJSON(response http.ResponseWriter, value any, err error) {
	var body []byte
	if err == nil {
		body, err = json.Marshal(value)
	}
	if err != nil {
		fail(response, err)
		return
	}
	send(response, "application/json", body)
}

func send(response http.ResponseWriter, kind string, body []byte) {
	header := response.Header()
	header.Set("Server", "net-http")
	header.Set("Content-Type", kind)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	// A client that has gone is no failure of the service.
	_, _ = response.Write(body)
}

func fail(response http.ResponseWriter, err error) {
	log.Print(err)
	http.Error(response, "internal error", http.StatusInternalServerError)
}
