package main

import (
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
	"techempower/domain"
)

// A request whose query runs when the server begins to stop is answered.
func TestQueryOutlivesTheServersStop(t *testing.T) {
	begun, stopping := make(chan bool), make(chan bool)
	read := func(int) ([]domain.World, error) {
		close(begun)
		<-stopping
		return nil, nil
	}
	server := &fasthttp.Server{Handler: rows(read), CloseOnShutdown: true}
	listener := fasthttputil.NewInmemoryListener()
	go server.Serve(listener)
	status := make(chan int)
	go func() {
		client := fasthttp.Client{Dial: func(string) (net.Conn, error) { return listener.Dial() }}
		code, _, _ := client.Get(nil, "http://server/queries")
		status <- code
	}()
	<-begun
	go server.Shutdown()
	time.Sleep(100 * time.Millisecond)
	close(stopping)
	if code := <-status; code != fasthttp.StatusOK {
		t.Errorf("the answer is %d", code)
	}
}
