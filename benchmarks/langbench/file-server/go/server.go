package main

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

const (
	stopLimit   = 2 * time.Second
	acceptPause = 10 * time.Millisecond
)

// server is a listening socket and the connections that came from it, a
// goroutine each.
type server struct {
	folder    string
	listening *net.TCPListener
	mutex     sync.Mutex
	clients   map[*net.TCPConn]struct{}
	underWay  sync.WaitGroup
	stopping  bool
	counts    counters // of the connections that have ended
}

// Start listens.
func (s *server) Start(options harness.Options) (int, error) {
	input := options.Text("input")
	s.folder = filepath.Join(input, "files")
	if _, err := os.ReadDir(s.folder); err != nil {
		return 0, harness.CannotBeRead(input, err)
	}
	listening, err := net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.listening = listening.(*net.TCPListener)
	s.clients = map[*net.TCPConn]struct{}{}
	go s.accept()
	return s.listening.Addr().(*net.TCPAddr).Port, nil
}

// accept takes connections until the server stops.
func (s *server) accept() {
	for {
		client, err := s.listening.AcceptTCP()
		s.mutex.Lock()
		stopping := s.stopping
		if err == nil && !stopping {
			s.clients[client] = struct{}{}
			s.underWay.Add(1)
			go s.converse(client)
		}
		s.mutex.Unlock()
		if stopping {
			return
		}
		if err != nil {
			time.Sleep(acceptPause) // a client that was gone already, or too many open files
		}
	}
}

func (s *server) converse(client *net.TCPConn) {
	connection := newConnection(client)
	connection.converse(s.folder)
	s.mutex.Lock()
	delete(s.clients, client)
	s.counts.requests += connection.counts.requests
	s.counts.bodyBytes += connection.counts.bodyBytes
	s.mutex.Unlock()
	client.Close()
	s.underWay.Done()
}

// Stop lets the requests under way be answered, for a while.
func (s *server) Stop() {
	s.mutex.Lock()
	s.stopping = true
	s.listening.Close()
	for client := range s.clients {
		// Those that wait for a request find none; one that has left cannot be told.
		_ = client.CloseRead()
	}
	s.mutex.Unlock()
	answered := make(chan struct{})
	go func() {
		s.underWay.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(stopLimit):
	}
}

// Counters are those of all connections that have ended.
func (s *server) Counters() map[string]uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return map[string]uint64{"requests": uint64(s.counts.requests), "body_bytes": uint64(s.counts.bodyBytes)}
}
