package main

import (
	"strconv"
	"strings"
)

const (
	mostBodyBytes = 65536
	longestLength = 15 // digits; a longer number is too large in any case

	tokenSigns = "!#$%&'*+.^_`|~-"
	hostSigns  = "-._~%!$&'()*+;=:[]"
)

// request is what a connection asks for.
type request struct {
	method  string
	target  string
	minor   int // of the version, HTTP/1.
	headers map[string]string
}

// newRequest reads the request line.
func newRequest(line string) (*request, error) {
	first := strings.IndexByte(line, ' ')
	last := strings.LastIndexByte(line, ' ')
	if first == last {
		return nil, failure{status: 400}
	}
	method, target, version := line[:first], line[first+1:last], line[last+1:]
	if !isToken(method) || !isVisible(target) {
		return nil, failure{status: 400}
	}
	if len(version) != 8 || version[:5] != "HTTP/" || !isDigit(version[5]) || version[6] != '.' || !isDigit(version[7]) {
		return nil, failure{status: 400}
	}
	if version[5] != '1' {
		return nil, failure{status: 505}
	}
	minor := 1
	if version[7] == '0' {
		minor = 0
	}
	return &request{method, target, minor, map[string]string{}}, nil
}

func (r *request) addField(line string) error {
	colon := strings.IndexByte(line, ':')
	if colon < 0 || !isToken(line[:colon]) {
		return failure{status: 400}
	}
	name, value := lower(line[:colon]), strings.Trim(line[colon+1:], " \t")
	if hasControl(value) {
		return failure{status: 400}
	}
	if before, known := r.headers[name]; known {
		value = before + "," + value
	}
	r.headers[name] = value
	return nil
}

// bodyLength is how many bytes follow the headers.
func (r *request) bodyLength() (int, error) {
	host, hasHost := r.headers["host"]
	if !hasHost && r.minor == 1 || !consistsOf(host, hostSigns) {
		return 0, failure{status: 400}
	}
	digits, hasLength := r.headers["content-length"]
	if _, hasEncoding := r.headers["transfer-encoding"]; hasEncoding {
		if hasLength {
			return 0, failure{status: 400}
		}
		return 0, failure{status: 411}
	}
	length := 0
	if hasLength {
		if !isDecimal(digits) {
			return 0, failure{status: 400}
		}
		if len(digits) > longestLength || decimal(digits) > mostBodyBytes {
			return 0, failure{status: 413}
		}
		length = int(decimal(digits))
	}
	if _, expects := r.headers["expect"]; expects && r.minor == 1 {
		return 0, failure{status: 417}
	}
	return length, nil
}

// persistent is whether another request may follow on the connection.
func (r *request) persistent() bool {
	persistent := r.minor == 1
	for _, token := range strings.Split(r.headers["connection"], ",") {
		switch lower(strings.Trim(token, " \t")) {
		case "close":
			return false
		case "keep-alive":
			persistent = true
		}
	}
	return persistent
}

// lower changes ASCII's letters alone: strings.ToLower has other scripts' letters
// become ASCII's, the Kelvin sign a k.
func lower(text string) string {
	bytes := []byte(text)
	for i, c := range bytes {
		if 'A' <= c && c <= 'Z' {
			bytes[i] = c - 'A' + 'a'
		}
	}
	return string(bytes)
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

func isDecimal(text string) bool {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return false
		}
	}
	return text != ""
}

// decimal takes at most longestLength digits.
func decimal(digits string) int64 {
	value, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func isToken(text string) bool {
	return text != "" && consistsOf(text, tokenSigns)
}

// consistsOf is whether nothing but letters, digits and those signs is in the
// text.
func consistsOf(text, signs string) bool {
	for i := range len(text) {
		c := text[i]
		if !isDigit(c) && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && strings.IndexByte(signs, c) < 0 {
			return false
		}
	}
	return true
}

func isVisible(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != ""
}

func hasControl(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' && text[i] != '\t' || text[i] == 0x7f {
			return true
		}
	}
	return false
}
