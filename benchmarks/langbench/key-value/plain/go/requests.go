// Requests in RESP2: langbench/key-value/contract.md, "Requests".

package main

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

const (
	pieceBytes       = 1048576
	mostLineBytes    = 65536
	mostWords        = 1048576
	mostRequestBytes = 512000000
	mostDigits       = 10
)

type protocolError string

func (e protocolError) Error() string { return string(e) }

// answered is a connection to which the replies are sent before it is read.
type answered struct {
	connection io.Reader
	writer     *bufio.Writer
}

func (a answered) Read(to []byte) (int, error) {
	if err := a.writer.Flush(); err != nil {
		return 0, err
	}
	return a.connection.Read(to)
}

type requests struct {
	reader *bufio.Reader
}

func newRequests(connection io.Reader, writer *bufio.Writer) *requests {
	return &requests{bufio.NewReader(answered{connection, writer})}
}

// next is the words of the next request.
func (r *requests) next() ([][]byte, error) {
	first, err := r.reader.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] != '*' {
		return r.inline()
	}
	line, err := r.line("too big mbulk count string")
	if err != nil {
		return nil, err
	}
	count, ok := number(line[1:])
	if !ok || count > mostWords {
		return nil, protocolError("invalid multibulk length")
	}
	left := int64(mostRequestBytes)
	var words [][]byte
	for ; count > 0; count-- {
		length, err := r.length(left)
		if err != nil {
			return nil, err
		}
		left -= length
		word, err := r.take(length)
		if err != nil {
			return nil, err
		}
		end, err := r.take(2)
		if err != nil {
			return nil, err
		}
		if string(end) != "\r\n" {
			return nil, protocolError("expected CRLF after bulk")
		}
		words = append(words, word)
	}
	return words, nil
}

func (r *requests) inline() ([][]byte, error) {
	line, err := r.line("too big inline request")
	if err != nil {
		return nil, err
	}
	var words [][]byte
	for _, word := range strings.Split(strings.Replace(line, "\t", " ", -1), " ") {
		if word != "" {
			words = append(words, []byte(word))
		}
	}
	return words, nil
}

// length is of the next word.
func (r *requests) length(left int64) (int64, error) {
	line, err := r.line("too big bulk count string")
	if err != nil {
		return 0, err
	}
	if !strings.HasPrefix(line, "$") {
		return 0, protocolError("expected '$', got '" + (line + " ")[:1] + "'")
	}
	length, ok := number(line[1:])
	if !ok || length < 0 || length > left {
		return 0, protocolError("invalid bulk length")
	}
	return length, nil
}

// line is without LF, or CR LF.
func (r *requests) line(tooBig string) (string, error) {
	var line []byte
	for {
		piece, err := r.reader.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > mostLineBytes && (err != nil || len(line) > mostLineBytes+1) {
			return "", protocolError(tooBig)
		}
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			return "", err
		}
	}
	text := string(line[:len(line)-1])
	if strings.HasSuffix(text, "\r") {
		text = text[:len(text)-1]
	}
	return text, nil
}

// take is so many bytes, for which memory is allocated as they arrive.
func (r *requests) take(length int64) ([]byte, error) {
	var word []byte
	for {
		before := len(word)
		piece := length - int64(before)
		if piece > pieceBytes {
			piece = pieceBytes
		}
		if before == 0 {
			word = make([]byte, piece)
		} else {
			word = append(word, make([]byte, piece)...)
		}
		if _, err := io.ReadFull(r.reader, word[before:]); err != nil {
			return nil, err
		}
		if int64(len(word)) == length {
			return word, nil
		}
	}
}

// number is an optional minus and 1 to 10 digits.
func number(text string) (int64, bool) {
	digits := text
	if strings.HasPrefix(digits, "-") {
		digits = digits[1:]
	}
	if digits == "" || len(digits) > mostDigits || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	value, err := strconv.ParseInt(text, 10, 64)
	return value, err == nil
}
