package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	bufferBytes      = 16384 // as Redis has it
	pieceBytes       = 1 << 20
	mostLineBytes    = 65536
	mostWords        = 1 << 20
	mostRequestBytes = 512_000_000
	mostDigits       = 10
)

// protocolError is why what was sent is no request.
type protocolError string

func (e protocolError) Error() string { return string(e) }

// requests are those of a connection, one after another.
type requests struct {
	bytes *bufio.Reader
}

func newRequests(connection io.Reader, replies *bufio.Writer) *requests {
	return &requests{bufio.NewReaderSize(&answered{connection, replies}, bufferBytes)}
}

// answered is a connection whose answers are sent before it is waited for.
type answered struct {
	connection io.Reader
	replies    *bufio.Writer
}

func (a *answered) Read(to []byte) (int, error) {
	if err := a.replies.Flush(); err != nil {
		return 0, err
	}
	return a.connection.Read(to)
}

// next is the words of the next request.
func (r *requests) next() ([][]byte, error) {
	first, err := r.bytes.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] != '*' {
		line, err := r.line("too big inline request")
		return inlineWords(line), err
	}
	line, err := r.line("too big mbulk count string")
	if err != nil {
		return nil, err
	}
	count, ok := number(line[1:])
	if !ok || count > mostWords {
		return nil, protocolError("invalid multibulk length")
	}
	var words [][]byte
	left := int64(mostRequestBytes)
	for range count {
		line, err := r.line("too big bulk count string")
		if err != nil {
			return nil, err
		}
		if len(line) == 0 || line[0] != '$' {
			return nil, protocolError(fmt.Sprintf("expected '$', got '%s'", append(line, ' ')[:1]))
		}
		length, ok := number(line[1:])
		if !ok || length < 0 || length > left {
			return nil, protocolError("invalid bulk length")
		}
		left -= length
		word, err := r.word(int(length))
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// inlineWords keeps the words' bytes: the line is overwritten by the next one.
func inlineWords(line []byte) [][]byte {
	blank := func(r rune) bool { return r == ' ' || r == '\t' }
	return bytes.FieldsFunc(append([]byte(nil), line...), blank)
}

// line is without what ends it, and valid until more is read.
func (r *requests) line(tooBig string) ([]byte, error) {
	line, err := r.bytes.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = append([]byte(nil), line...)
		for errors.Is(err, bufio.ErrBufferFull) && len(line) <= mostLineBytes {
			var more []byte
			more, err = r.bytes.ReadSlice('\n')
			line = append(line, more...)
		}
	}
	if len(bytes.TrimSuffix(line, []byte("\n"))) > mostLineBytes {
		return nil, protocolError(tooBig)
	}
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

func (r *requests) word(length int) ([]byte, error) {
	word := make([]byte, min(length, pieceBytes))
	_, err := io.ReadFull(r.bytes, word)
	for err == nil && len(word) < length {
		before := len(word)
		word = append(word, make([]byte, min(length-before, pieceBytes))...)
		_, err = io.ReadFull(r.bytes, word[before:])
	}
	if err != nil {
		return nil, err
	}
	var end [2]byte
	if _, err := io.ReadFull(r.bytes, end[:]); err != nil {
		return nil, err
	}
	if string(end[:]) != "\r\n" {
		return nil, protocolError("expected CRLF after bulk")
	}
	return word, nil
}

// number reads an optional minus and a few decimal digits.
func number(text []byte) (value int64, ok bool) {
	digits := bytes.TrimPrefix(text, []byte("-"))
	if len(digits) > mostDigits || bytes.HasPrefix(digits, []byte("+")) {
		return 0, false
	}
	value, err := strconv.ParseInt(string(text), 10, 64)
	return value, err == nil
}
