// The conversation with a client.

package main

import (
	"bufio"
	"bytes"
	"io"
	"io/ioutil"
	"net"
)

const (
	mostLineBytes      = 8192
	mostHeaderBytes    = 65536
	mostDiscardedBytes = 1048576
)

// failure is why a request is not answered with a file. The field is a further line of the head.
type failure struct {
	status int
	field  string
}

func (failure) Error() string { return "the request has failed" }

type connection struct {
	client *net.TCPConn
	input  *bufio.Reader
	folder string
	counts counts
}

func newConnection(client *net.TCPConn, folder string) *connection {
	client.SetNoDelay(true)
	return &connection{client: client, input: bufio.NewReader(client), folder: folder}
}

// converse responds until the client leaves or wants no more.
func (c *connection) converse() {
	for persistent := true; persistent; {
		request, err := c.readRequest()
		var response []byte
		if failed, ok := err.(failure); ok {
			response, persistent = failureResponse(failed, "Connection: close\r\n"), false
		} else if err != nil {
			return
		} else {
			response, persistent = c.respond(request), request.isPersistent()
		}
		if _, err := c.client.Write(response); err != nil {
			return
		}
	}
	if c.client.CloseWrite() == nil {
		io.CopyN(ioutil.Discard, c.input, mostDiscardedBytes)
	}
}

func (c *connection) readRequest() (*request, error) {
	var line string
	for line == "" {
		var err error
		if line, err = c.readLine(mostLineBytes, 414); err != nil {
			return nil, err
		}
	}
	request, err := newRequest(line)
	if err != nil {
		return nil, err
	}
	for left := mostHeaderBytes; ; left -= len(line) {
		if line, err = c.readLine(left, 431); err != nil {
			return nil, err
		}
		if line == "" {
			break
		}
		if err := request.add(line); err != nil {
			return nil, err
		}
	}
	length, err := request.bodyLength()
	if err != nil {
		return nil, err
	}
	_, err = io.CopyN(ioutil.Discard, c.input, length)
	return request, err
}

// readLine is the bytes before CR LF.
func (c *connection) readLine(most, status int) (string, error) {
	var line []byte
	for !bytes.HasSuffix(line, []byte("\n")) {
		if len(line) == most+2 {
			return "", failure{status: status}
		}
		next, err := c.input.ReadByte()
		if err != nil {
			return "", err
		}
		line = append(line, next)
	}
	if !bytes.HasSuffix(line, []byte("\r\n")) {
		return "", failure{status: 400}
	}
	return string(line[:len(line)-2]), nil
}
