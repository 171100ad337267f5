package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	mostFileBytes = 1 << 30
	// As HTTP writes it: Sun, 06 Nov 1994 08:49:37 GMT.
	dateLayout = "Mon, 02 Jan 2006 15:04:05 GMT"
)

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

// answer is the whole answer to a request that could be read.
func answer(folder string, request *request, counts *counters) []byte {
	whole, err := found(folder, request, counts)
	if failed, ok := err.(failure); ok {
		return head(failed.status, failureFields(failed), connectionField(request))
	}
	return whole
}

// refusal is the answer to what could not be read, behind which nothing can be.
func refusal(failed failure) []byte {
	return head(failed.status, failureFields(failed), "Connection: close\r\n")
}

// found has no error that is no failure.
func found(folder string, request *request, counts *counters) ([]byte, error) {
	if request.method != "GET" && request.method != "HEAD" {
		return nil, failure{405, "Allow: GET, HEAD"}
	}
	name, err := fileName(request.target)
	if err != nil {
		return nil, err
	}
	file, status, err := open(folder, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return content(file, status, name[len(name)-1], request, counts)
}

func open(folder string, name []string) (*os.File, os.FileInfo, error) {
	path := folder
	for _, segment := range name[:len(name)-1] {
		path += "/" + segment
		if status, err := os.Lstat(path); err != nil || !status.IsDir() {
			return nil, nil, failure{status: 404}
		}
	}
	file, err := os.OpenFile(path+"/"+name[len(name)-1], os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil, failure{status: 404}
	}
	status, err := file.Stat()
	if err != nil || !status.Mode().IsRegular() {
		file.Close()
		return nil, nil, failure{status: 404}
	}
	return file, status, nil
}

func content(file *os.File, status os.FileInfo, name string, request *request, counts *counters) ([]byte, error) {
	size := status.Size()
	if size > mostFileBytes {
		return nil, failure{status: 500}
	}
	var part *byteRange
	if _, conditional := request.headers["if-range"]; request.method == "GET" && !conditional {
		var err error
		if part, err = requestedRange(request.headers["range"], size); err != nil {
			return nil, err
		}
	}
	first, count := int64(0), size
	if part != nil {
		first, count = part.first, part.count
	}
	fields := fmt.Sprintf("Last-Modified: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nAccept-Ranges: bytes\r\n",
		date(status.ModTime()), contentType(name), count)
	code := 200
	if part != nil {
		code = 206
		fields += fmt.Sprintf("Content-Range: bytes %d-%d/%d\r\n", first, first+count-1, size)
	}
	said := head(code, fields, connectionField(request))
	if request.method == "HEAD" {
		return said, nil
	}
	whole := make([]byte, int64(len(said))+count)
	copy(whole, said)
	if _, err := file.ReadAt(whole[len(said):], first); err != nil {
		return nil, failure{status: 500}
	}
	counts.requests++         // tick
	counts.bodyBytes += count // tick
	return whole, nil
}

func contentType(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		if known, ok := types[lower(name[dot+1:])]; ok {
			return known
		}
	}
	return "application/octet-stream"
}

func date(moment time.Time) string {
	return moment.UTC().Format(dateLayout)
}

func failureFields(failed failure) string {
	fields := "Content-Length: 0\r\n"
	if failed.field != "" {
		fields += failed.field + "\r\n"
	}
	return fields
}

// connectionField is what the head says of the connection.
func connectionField(request *request) string {
	switch {
	case !request.persistent():
		return "Connection: close\r\n"
	case request.minor == 0:
		return "Connection: keep-alive\r\n"
	}
	return ""
}

// head ends with the empty line; fields and last are whole lines.
func head(status int, fields, last string) []byte {
	return []byte(fmt.Sprintf("HTTP/1.1 %d %s\r\nDate: %s\r\n%s%s\r\n", status, reasons[status], date(time.Now()), fields, last))
}
