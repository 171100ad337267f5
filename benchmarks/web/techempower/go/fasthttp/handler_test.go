package main

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
	"techempower/domain"
)

// A request whose query runs when the server begins to stop is answered before the server has
// stopped.
func TestServerStopsAfterTheQuery(t *testing.T) {
	begun, ending := make(chan bool), make(chan bool)
	read := func(int) ([]domain.World, error) {
		close(begun)
		<-ending
		return nil, nil
	}
	server := newServer(rows(read))
	listener := fasthttputil.NewInmemoryListener()
	go server.Serve(listener)
	status := make(chan int)
	go func() {
		client := fasthttp.Client{Dial: func(string) (net.Conn, error) { return listener.Dial() }}
		code, _, _ := client.Get(nil, "http://server/queries")
		status <- code
	}()
	<-begun
	soon, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- server.Shutdown(soon) }()
	select {
	case <-stopped:
		t.Fatal("the server has stopped while the query runs")
	case <-time.After(200 * time.Millisecond):
	}
	close(ending)
	if code := <-status; code != fasthttp.StatusOK {
		t.Errorf("the answer is %d", code)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}
