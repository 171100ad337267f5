package main

// Tokens, numbers and placeholders: langbench/log/contract.md, "Tokens".

const (
	variablePlaceholder = 0x11
	numberPlaceholder   = 0x12
	mostDigits          = 13
)

func isDigit(b byte) bool {
	return '0' <= b && b <= '9'
}

func isLetter(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func isPlaceholder(b byte) bool {
	return b == variablePlaceholder || b == numberPlaceholder
}

var tokenBytes = func() (table [256]bool) {
	for i := range table {
		b := byte(i)
		table[i] = b >= 128 || isDigit(b) || isLetter(b) || isPlaceholder(b)
	}
	for _, b := range []byte(`+-./_\`) {
		table[b] = true
	}
	return table
}()

// token is a longest run of token bytes, [begin, end) of its text.
type token struct {
	begin, end int
}

// nextToken is the first token from the place on; an empty one at the end of
// the text if there is none.
func nextToken(text []byte, from int) token {
	begin := from
	for begin < len(text) && !tokenBytes[text[begin]] {
		begin++
	}
	end := begin
	for end < len(text) && tokenBytes[text[end]] {
		end++
	}
	return token{begin, end}
}

// isVariable tells whether the token of the text is a variable.
func isVariable(text []byte, t token) bool {
	letter := false
	for _, b := range text[t.begin:t.end] {
		if isDigit(b) || isPlaceholder(b) {
			return true
		}
		letter = letter || isLetter(b)
	}
	return letter && t.begin > 0 && text[t.begin-1] == '='
}

// numberCode is the code of a variable, if it is a number.
func numberCode(text []byte) (code int64, ok bool) {
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	var value, digits, scale int64
	point := false
	for _, b := range text {
		switch {
		case isDigit(b):
			digits++
			if digits > mostDigits {
				return 0, false
			}
			value = value*10 + int64(b-'0')
			if point {
				scale++
			}
		case b == '.' && digits > 0 && !point:
			point = true
		default:
			return 0, false
		}
	}
	if digits == 0 || point && scale == 0 {
		return 0, false
	}
	code = (value*16+digits)*32 + scale*2
	if negative {
		code++
	}
	return code, true
}

// appendNumber appends the number of the code to the line.
func appendNumber(line []byte, code int64) []byte {
	digits, scale := int(code/32%16), int(code/2%16)
	var text [mostDigits]byte
	value := code / 512
	for i := digits - 1; i >= 0; i-- {
		text[i] = '0' + byte(value%10)
		value /= 10
	}
	if code%2 == 1 {
		line = append(line, '-')
	}
	line = append(line, text[:digits-scale]...)
	if scale > 0 {
		line = append(line, '.')
		line = append(line, text[digits-scale:digits]...)
	}
	return line
}
