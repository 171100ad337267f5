package main

import (
	"bufio"
	"strconv"
	"strings"
)

// replies are answers to a connection, kept until its buffer is full or its
// next bytes are waited for. That the connection is broken shows there.
type replies struct {
	*bufio.Writer
}

func (r replies) simple(text string) {
	r.WriteByte('+')
	r.WriteString(text)
	r.WriteString("\r\n")
}

func (r replies) error(text string) {
	r.WriteByte('-')
	r.WriteString(strings.NewReplacer("\r", " ", "\n", " ").Replace(text))
	r.WriteString("\r\n")
}

func (r replies) integer(value int) {
	r.line(':', value)
}

func (r replies) bulk(value []byte) {
	r.line('$', len(value))
	r.Write(value)
	r.WriteString("\r\n")
}

func (r replies) nullBulk() {
	r.WriteString("$-1\r\n")
}

// array says that so many replies follow.
func (r replies) array(length int) {
	r.line('*', length)
}

func (r replies) line(kind byte, number int) {
	var digits [20]byte
	r.WriteByte(kind)
	r.Write(strconv.AppendInt(digits[:0], int64(number), 10))
	r.WriteString("\r\n")
}
