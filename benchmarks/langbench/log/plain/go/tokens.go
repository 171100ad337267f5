// Tokens, numbers and placeholders.

package main

import (
	"strconv"
	"strings"
)

const (
	variablePlaceholder = 17
	numberPlaceholder   = 18
	mostDigits          = 13
)

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

func isPlaceholder(b byte) bool { return b == variablePlaceholder || b == numberPlaceholder }

func isTokenByte(b byte) bool {
	switch b {
	case '+', '-', '.', '/', '_', '\\':
		return true
	}
	return isDigit(b) || isLetter(b) || isPlaceholder(b) || b >= 128
}

// isVariable is of the token text[begin:end].
func isVariable(text string, begin, end int) bool {
	letter := false
	for at := begin; at < end; at++ {
		if isDigit(text[at]) || isPlaceholder(text[at]) {
			return true
		}
		letter = letter || isLetter(text[at])
	}
	return letter && begin > 0 && text[begin-1] == '='
}

func numberCode(token string) (int64, bool) {
	negative := int64(0)
	if token[0] == '-' {
		negative = 1
		token = token[1:]
	}
	value, digits, scale, point := int64(0), int64(0), int64(0), false
	for i := 0; i < len(token); i++ {
		if isDigit(token[i]) {
			digits++
			if digits > mostDigits {
				return 0, false
			}
			value = 10*value + int64(token[i]-'0')
			if point {
				scale++
			}
		} else if token[i] == '.' && digits > 0 && !point {
			point = true
		} else {
			return 0, false
		}
	}
	if digits == 0 || point && scale == 0 {
		return 0, false
	}
	return (value*16+digits)*32 + scale*2 + negative, true
}

func numberText(code int64) string {
	digits, scale := int(code/32%16), int(code/2%16)
	text := strconv.FormatInt(code/512, 10)
	text = strings.Repeat("0", digits-len(text)) + text
	if scale > 0 {
		text = text[:digits-scale] + "." + text[digits-scale:]
	}
	if code%2 == 1 {
		text = "-" + text
	}
	return text
}
