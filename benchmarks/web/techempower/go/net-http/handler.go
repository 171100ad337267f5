package main

import (
	"bytes"
	"encoding/json"
	"log"
	"net/http"
	"strconv"

	"techempower/domain"
)

func newHandler(database *domain.Database) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(response http.ResponseWriter, _ *http.Request) {
		send(response, "text/plain", []byte(domain.Greeting))
	})
	mux.HandleFunc("GET /json", func(response http.ResponseWriter, _ *http.Request) {
		sendJSON(response, domain.Message{Message: domain.Greeting}, nil)
	})
	mux.HandleFunc("GET /db", func(response http.ResponseWriter, _ *http.Request) {
		row, err := database.Random()
		sendJSON(response, row, err)
	})
	mux.HandleFunc("GET /queries", rows(database.RandomRows))
	mux.HandleFunc("GET /updates", rows(database.Update))
	mux.HandleFunc("GET /fortunes", func(response http.ResponseWriter, _ *http.Request) {
		fortunes, err := database.Fortunes()
		var body bytes.Buffer
		if err == nil {
			err = domain.WritePage(&body, fortunes)
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
func rows(read func(int) ([]domain.World, error)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		found, err := read(domain.Count(request.URL.Query().Get("queries")))
		sendJSON(response, found, err)
	}
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
