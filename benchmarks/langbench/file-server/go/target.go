package main

import (
	"strconv"
	"strings"
)

const scheme = "http://"

// fileName is the names of folders on the way, and the file's own.
func fileName(target string) ([]string, error) {
	if len(target) >= len(scheme) && strings.EqualFold(target[:len(scheme)], scheme) {
		target = target[len(scheme):]
		end := strings.IndexAny(target, "/?")
		if end < 0 {
			end = len(target)
		}
		if end == 0 {
			return nil, failure{status: 400}
		}
		target = target[end:]
		if !strings.HasPrefix(target, "/") {
			target = "/"
		}
	}
	if !strings.HasPrefix(target, "/") {
		return nil, failure{status: 400}
	}
	if query := strings.IndexByte(target, '?'); query >= 0 {
		target = target[:query]
	}
	segments := strings.Split(target[1:], "/")
	for i, segment := range segments {
		var err error
		if segments[i], err = unescaped(segment); err != nil {
			return nil, err
		}
	}
	for _, segment := range segments {
		if !isName(segment) {
			return nil, failure{status: 404}
		}
	}
	return segments, nil
}

// unescaped has every %XX replaced by its byte.
func unescaped(segment string) (string, error) {
	if strings.IndexByte(segment, '%') < 0 {
		return segment, nil
	}
	var bytes strings.Builder
	for i := 0; i < len(segment); i++ {
		if segment[i] != '%' {
			bytes.WriteByte(segment[i])
			continue
		}
		if i+2 >= len(segment) {
			return "", failure{status: 400}
		}
		value, err := strconv.ParseUint(segment[i+1:i+3], 16, 8)
		if err != nil {
			return "", failure{status: 400}
		}
		bytes.WriteByte(byte(value))
		i += 2
	}
	return bytes.String(), nil
}

// isName is whether a segment cannot leave its folder, whatever it is taken for.
func isName(segment string) bool {
	for i := range len(segment) {
		if c := segment[i]; c < ' ' || c > '~' || c == '/' || c == '\\' {
			return false
		}
	}
	return segment != "" && segment != "." && segment != ".."
}
