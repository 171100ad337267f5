package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
)

const (
	inputBytes         = 16384
	longestRequestLine = 8192
	longestHeaders     = 65536
	mostDroppedBytes   = 1048576
)

// errGone is that the client has left.
var errGone = errors.New("the client has left")

// connection is one client: its requests, one after another. TCP_NODELAY is
// set by package net.
type connection struct {
	client *net.TCPConn
	input  *bufio.Reader
	counts counters
}

// counters of the task: langbench/file-server/contract.md. A request counts if
// it is answered with bytes of a file.
type counters struct{ requests, bodyBytes int64 }

func newConnection(client *net.TCPConn) *connection {
	return &connection{client: client, input: bufio.NewReaderSize(client, inputBytes)}
}

// converse answers requests until the client leaves or wants no more.
func (c *connection) converse(folder string) {
	for {
		request, err := c.readRequest()
		if failed, ok := err.(failure); ok {
			if _, err := c.client.Write(refusal(failed)); err != nil {
				return
			}
			break
		}
		if err != nil {
			return // nobody is there any more to be told
		}
		if _, err := c.client.Write(answer(folder, request, &c.counts)); err != nil {
			return
		}
		if !request.persistent() {
			break
		}
	}
	c.leave()
}

// readRequest fails with a failure or errGone.
func (c *connection) readRequest() (*request, error) {
	line, err := c.readLine(longestRequestLine, 414)
	for err == nil && line == "" {
		line, err = c.readLine(longestRequestLine, 414)
	}
	if err != nil {
		return nil, err
	}
	request, err := newRequest(line)
	if err != nil {
		return nil, err
	}
	for left := longestHeaders; ; left -= len(line) {
		if line, err = c.readLine(left, 431); err != nil {
			return nil, err
		}
		if line == "" {
			break
		}
		if err := request.addField(line); err != nil {
			return nil, err
		}
	}
	length, err := request.bodyLength()
	if err != nil {
		return nil, err
	}
	if _, err := c.input.Discard(length); err != nil {
		return nil, errGone
	}
	return request, nil
}

// readLine fails with a failure or errGone.
func (c *connection) readLine(most, status int) (string, error) {
	var line []byte
	for {
		if _, err := c.input.Peek(1); err != nil {
			return "", errGone
		}
		come, _ := c.input.Peek(c.input.Buffered()) // never more than there is
		if room := most + 2 - len(line); len(come) > room {
			come = come[:room]
		}
		end := bytes.IndexByte(come, '\n')
		if end >= 0 {
			come = come[:end+1]
		}
		line = append(line, come...)
		if _, err := c.input.Discard(len(come)); err != nil {
			panic(err) // it was there
		}
		if end >= 0 {
			break
		}
		if len(line) == most+2 {
			return "", failure{status: status}
		}
	}
	if !bytes.HasSuffix(line, []byte("\r\n")) {
		return "", failure{status: 400}
	}
	return string(line[:len(line)-2]), nil
}

// leave waits for the client to go, so that no reset overtakes the last answer.
func (c *connection) leave() {
	if c.client.CloseWrite() == nil {
		// However this ends, there is nothing left to do but to close.
		_, _ = io.CopyN(io.Discard, c.input, mostDroppedBytes)
	}
}
