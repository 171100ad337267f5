package main

import "strconv"

// failure is why a request is not answered with a file.
type failure struct {
	status int
	field  string // a line that the head has besides; may be empty
}

func (f failure) Error() string {
	return strconv.Itoa(f.status)
}
