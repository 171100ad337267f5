package domain

import (
	"errors"
	"strconv"
)

// ErrMalformed is what is answered with 400.
var ErrMalformed = errors.New("malformed request")

// number is from 1 to most. ParseInt alone would take a sign.
func number(text string, most int64) (int64, error) {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !onlyDigits(text) || value < 1 || value > most {
		return 0, ErrMalformed
	}
	return value, nil
}

func onlyDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
