package domain

import "strconv"

const (
	// Greeting is the body of plaintext.
	Greeting    = "Hello, World!"
	mostQueries = 500
)

// Message is the body of json.
type Message struct {
	Message string `json:"message"`
}

// Count is what a text means as a number of queries.
func Count(text string) int {
	number, err := strconv.Atoi(text)
	switch {
	case err != nil && number == 0, number < 1, text[0] == '+':
		return 1
	case number > mostQueries: // also a number out of range, which Atoi cuts off
		return mostQueries
	}
	return number
}
