// The response to a request.

package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

const mostFileBytes = 1 << 30

var reasons = map[int]string{
	200: "OK",
	206: "Partial Content",
	400: "Bad Request",
	404: "Not Found",
	405: "Method Not Allowed",
	411: "Length Required",
	413: "Content Too Large",
	414: "URI Too Long",
	416: "Range Not Satisfiable",
	417: "Expectation Failed",
	431: "Request Header Fields Too Large",
	500: "Internal Server Error",
	505: "HTTP Version Not Supported",
}

var types = map[string]string{
	"txt":  "text/plain; charset=utf-8",
	"log":  "text/plain; charset=utf-8",
	"html": "text/html; charset=utf-8",
	"css":  "text/css; charset=utf-8",
	"js":   "text/javascript; charset=utf-8",
	"json": "application/json",
	"png":  "image/png",
	"svg":  "image/svg+xml",
}

func (c *connection) respond(request *request) []byte {
	response, err := c.fileResponse(request)
	if failed, ok := err.(failure); ok {
		return failureResponse(failed, connectionField(request))
	}
	return response
}

func failureResponse(failed failure, connection string) []byte {
	return head(failed.status, "Content-Length: 0\r\n"+failed.field, connection)
}

func (c *connection) fileResponse(request *request) ([]byte, error) {
	if request.method != "GET" && request.method != "HEAD" {
		return nil, failure{405, "Allow: GET, HEAD\r\n"}
	}
	names, err := request.fileName()
	if err != nil {
		return nil, err
	}
	file, err := c.open(names)
	if err != nil {
		return nil, failure{status: 404}
	}
	defer file.Close()
	status, err := file.Stat()
	if err != nil || !status.Mode().IsRegular() {
		return nil, failure{status: 404}
	}
	size := status.Size()
	if size > mostFileBytes {
		return nil, failure{status: 500}
	}
	first, count, isPart := int64(0), size, false
	if request.method == "GET" {
		if first, count, isPart, err = requestedRange(request, size); err != nil {
			return nil, err
		}
	}
	code := 200
	fields := "Last-Modified: " + date(status.ModTime()) +
		"\r\nContent-Type: " + contentType(names[len(names)-1]) +
		fmt.Sprintf("\r\nContent-Length: %d\r\nAccept-Ranges: bytes\r\n", count)
	if isPart {
		code = 206
		fields += fmt.Sprintf("Content-Range: bytes %d-%d/%d\r\n", first, first+count-1, size)
	}
	head := head(code, fields, connectionField(request))
	if request.method == "HEAD" {
		return head, nil
	}
	response := make([]byte, len(head)+int(count))
	copy(response, head)
	if _, err := file.ReadAt(response[len(head):], first); err != nil {
		return nil, failure{status: 500}
	}
	c.counts.requests++         // tick
	c.counts.bodyBytes += count // tick
	return response, nil
}

func (c *connection) open(names []string) (*os.File, error) {
	path := c.folder
	for _, name := range names[:len(names)-1] {
		path += "/" + name
		status, err := os.Lstat(path)
		if err != nil || !status.IsDir() {
			return nil, failure{status: 404}
		}
	}
	return os.OpenFile(path+"/"+names[len(names)-1], os.O_RDONLY|syscall.O_NOFOLLOW, 0)
}

// requestedRange is the first byte, the number of bytes, and whether it is a part of the file.
func requestedRange(request *request, size int64) (int64, int64, bool, error) {
	value := request.headers["range"]
	_, isConditional := request.headers["if-range"]
	ends := strings.Split(strings.TrimPrefix(value, "bytes="), "-")
	if isConditional || size == 0 || !strings.HasPrefix(value, "bytes=") || len(ends) != 2 ||
		!has(ends[0], digits) || !has(ends[1], digits) || ends[0] == "" && ends[1] == "" {
		return 0, size, false, nil
	}
	unsatisfiable := failure{416, fmt.Sprintf("Content-Range: bytes */%d\r\n", size)}
	first, last := number(ends[0]), number(ends[1])
	if ends[0] == "" {
		if last == 0 {
			return 0, 0, false, unsatisfiable
		}
		if last > size {
			last = size
		}
		return size - last, last, true, nil
	}
	if ends[1] != "" && last < first {
		return 0, size, false, nil
	}
	if first >= size {
		return 0, 0, false, unsatisfiable
	}
	if ends[1] == "" || last >= size {
		last = size - 1
	}
	return first, last - first + 1, true, nil
}

func contentType(name string) string {
	if dot := strings.LastIndex(name, "."); dot >= 0 {
		if found, ok := types[lower(name[dot+1:])]; ok {
			return found
		}
	}
	return "application/octet-stream"
}

func connectionField(request *request) string {
	if !request.isPersistent() {
		return "Connection: close\r\n"
	}
	if request.minor == 0 {
		return "Connection: keep-alive\r\n"
	}
	return ""
}

func date(at time.Time) string {
	return at.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
}

func head(status int, fields, connection string) []byte {
	return []byte(fmt.Sprintf("HTTP/1.1 %d %s\r\nDate: %s\r\n%s%s\r\n",
		status, reasons[status], date(time.Now()), fields, connection))
}
