// A request, and the file that its target names.

package main

import (
	"strconv"
	"strings"
)

const (
	mostBodyBytes  = 65536
	mostDigits     = 15
	tokenBytes     = "!#$%&'*+.^_`|~-" + digits + letters
	hostBytes      = "-._~%!$&'()*+;=:[]" + digits + letters
	digits         = "0123456789"
	letters        = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	firstPrintable = ' '
	lastPrintable  = '~'
)

type request struct {
	method, target string
	minor          int
	headers        map[string]string
}

func newRequest(line string) (*request, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 || !isToken(parts[0]) || parts[1] == "" {
		return nil, failure{status: 400}
	}
	for i := 0; i < len(parts[1]); i++ {
		if parts[1][i] <= firstPrintable || parts[1][i] > lastPrintable {
			return nil, failure{status: 400}
		}
	}
	version := parts[2]
	if len(version) != 8 || version[:5] != "HTTP/" || version[6] != '.' ||
		!isDigits(version[5:6]) || !isDigits(version[7:]) {
		return nil, failure{status: 400}
	}
	if version[5] != '1' {
		return nil, failure{status: 505}
	}
	minor := 1
	if version[7] == '0' {
		minor = 0
	}
	return &request{parts[0], parts[1], minor, map[string]string{}}, nil
}

// has is whether the text consists of these bytes. strings.Trim would decode UTF-8.
func has(text, bytes string) bool {
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(bytes, text[i]) < 0 {
			return false
		}
	}
	return true
}

func isToken(text string) bool { return text != "" && has(text, tokenBytes) }

func isDigits(text string) bool { return text != "" && has(text, digits) }

// lower changes ASCII letters only.
func lower(text string) string {
	lowered := []byte(text)
	for i, b := range lowered {
		if 'A' <= b && b <= 'Z' {
			lowered[i] = b + 'a' - 'A'
		}
	}
	return string(lowered)
}

func (r *request) add(line string) error {
	colon := strings.Index(line, ":")
	if colon < 0 || !isToken(line[:colon]) {
		return failure{status: 400}
	}
	value := line[colon+1:]
	for i := 0; i < len(value); i++ {
		if value[i] < ' ' && value[i] != '\t' || value[i] == 0x7f {
			return failure{status: 400}
		}
	}
	value = strings.Trim(value, " \t")
	name := lower(line[:colon])
	if before, ok := r.headers[name]; ok {
		value = before + "," + value
	}
	r.headers[name] = value
	return nil
}

func (r *request) bodyLength() (int64, error) {
	host, hasHost := r.headers["host"]
	if !hasHost && r.minor == 1 || !has(host, hostBytes) {
		return 0, failure{status: 400}
	}
	length, hasLength := r.headers["content-length"]
	if _, encoded := r.headers["transfer-encoding"]; encoded {
		if hasLength {
			return 0, failure{status: 400}
		}
		return 0, failure{status: 411}
	}
	if hasLength && !isDigits(length) {
		return 0, failure{status: 400}
	}
	bytes := number(length)
	if bytes > mostBodyBytes {
		return 0, failure{status: 413}
	}
	if _, expects := r.headers["expect"]; expects && r.minor == 1 {
		return 0, failure{status: 417}
	}
	return bytes, nil
}

// number is of digits; of no digits, 0.
func number(digits string) int64 {
	if len(digits) > mostDigits {
		return 1000000000000000
	}
	value, _ := strconv.ParseInt("0"+digits, 10, 64)
	return value
}

func (r *request) isPersistent() bool {
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

// fileName is the names of the folders and of the file.
func (r *request) fileName() ([]string, error) {
	path := r.target
	if len(path) >= 7 && lower(path[:7]) == "http://" {
		path = path[7:]
		end := strings.IndexAny(path, "/?")
		if end == 0 || path == "" {
			return nil, failure{status: 400}
		}
		if end < 0 || path[end] == '?' {
			path = "/"
		} else {
			path = path[end:]
		}
	}
	if path[0] != '/' {
		return nil, failure{status: 400}
	}
	segments := strings.Split(strings.SplitN(path, "?", 2)[0][1:], "/")
	for i, segment := range segments {
		var err error
		if segments[i], err = unescaped(segment); err != nil {
			return nil, err
		}
	}
	for _, segment := range segments {
		if segment == "" || segment == "." || segment == ".." || strings.IndexAny(segment, "/\\") >= 0 {
			return nil, failure{status: 404}
		}
		for i := 0; i < len(segment); i++ {
			if segment[i] < firstPrintable || segment[i] > lastPrintable {
				return nil, failure{status: 404}
			}
		}
	}
	return segments, nil
}

func unescaped(segment string) (string, error) {
	parts := strings.Split(segment, "%")
	text := parts[0]
	for _, part := range parts[1:] {
		if len(part) < 2 || !has(part[:2], digits+"ABCDEFabcdef") {
			return "", failure{status: 400}
		}
		value, _ := strconv.ParseUint(part[:2], 16, 8)
		text += string([]byte{byte(value)}) + part[2:]
	}
	return text, nil
}
