// A file server, written from the contract alone: langbench/file-server/contract.md. A connection is
// a goroutine. Of the language it asks no more than Go 1.0 had.
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

type counts struct{ requests, bodyBytes int64 }

type server struct {
	folder   string
	listener net.Listener
	left     sync.WaitGroup

	mutex    sync.Mutex // guards the rest
	stopping bool
	clients  map[*net.TCPConn]bool
	ended    counts // of connections that have ended
}

func (s *server) Start(options harness.Options) (int, error) {
	input := options.Text("input")
	s.folder = filepath.Join(input, "files")
	folder, err := os.Open(s.folder)
	if err == nil {
		_, err = folder.Readdirnames(-1)
		folder.Close()
	}
	if err != nil {
		return 0, harness.CannotBeRead(input, err)
	}
	s.clients = map[*net.TCPConn]bool{}
	s.listener, err = net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	go s.accept()
	return s.listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *server) accept() {
	for {
		client, err := s.listener.Accept()
		s.mutex.Lock()
		stopping := s.stopping
		if err == nil && !stopping {
			s.clients[client.(*net.TCPConn)] = true
			s.left.Add(1)
			go s.converse(client.(*net.TCPConn))
		}
		s.mutex.Unlock()
		if stopping {
			return
		}
		if err != nil {
			time.Sleep(acceptPause) // too many files are open
		}
	}
}

func (s *server) converse(client *net.TCPConn) {
	defer s.left.Done()
	connection := newConnection(client, s.folder)
	connection.converse()
	s.mutex.Lock()
	delete(s.clients, client)
	s.ended.requests += connection.counts.requests
	s.ended.bodyBytes += connection.counts.bodyBytes
	s.mutex.Unlock()
	client.Close()
}

func (s *server) Stop() {
	s.mutex.Lock()
	s.stopping = true
	s.listener.Close()
	for client := range s.clients {
		client.CloseRead()
	}
	s.mutex.Unlock()
	left := make(chan bool)
	go func() {
		s.left.Wait()
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(stopLimit):
	}
}

func (s *server) Counters() map[string]uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return map[string]uint64{
		"requests": uint64(s.ended.requests), "body_bytes": uint64(s.ended.bodyBytes),
	}
}

func main() {
	services.Serve("file-server", "plain", &server{})
}
