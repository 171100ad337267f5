package domain

import (
	"html/template"
	"strconv"
)

const (
	// Greeting is the body of plaintext.
	Greeting    = "Hello, World!"
	mostQueries = 500
)

// Message is the body of json.
type Message struct {
	Message string `json:"message"`
}

// Page is the page of the fortunes.
var Page = template.Must(template.New("fortunes").Parse(
	`<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>` +
		`<tr><th>id</th><th>message</th></tr>` +
		`{{range .}}<tr><td>{{.ID}}</td><td>{{.Message}}</td></tr>{{end}}` +
		`</table></body></html>`))

// Count is what a text means as a number of queries.
func Count(text string) int {
	number, err := strconv.Atoi(text)
	switch {
	case err != nil && number == 0, number < 1:
		return 1
	case number > mostQueries: // also a number out of range, which Atoi cuts off
		return mostQueries
	}
	return number
}
