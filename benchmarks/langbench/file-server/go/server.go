package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	harness "runfair/harness/go"
)

const (
	stopLimit = 2 * time.Second
	// 1,024 connections, each with a file.
	mostOpenFiles = 4096
	acceptPause   = 10 * time.Millisecond
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
}

// Start listens.
func (s *server) Start(options *harness.Options, address harness.Address) (int, error) {
	s.folder = filepath.Join(options.Inputs[0], "files")
	if _, err := os.ReadDir(s.folder); err != nil {
		return 0, unreadable(options.Inputs[0], err)
	}
	allowOpenFiles()
	listening, err := net.Listen("tcp", net.JoinHostPort(address.Host, strconv.Itoa(address.Port)))
	if err != nil {
		return 0, address.CannotBeListenedOn(reason(err))
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
	newConnection(client).converse(s.folder)
	s.mutex.Lock()
	delete(s.clients, client)
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

// allowOpenFiles does what newer runtimes do by themselves.
func allowOpenFiles() {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= mostOpenFiles {
		return
	}
	limit.Cur = mostOpenFiles
	if limit.Max < limit.Cur {
		limit.Cur = limit.Max
	}
	// Where it is refused, connections beyond the limit wait.
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

// unreadable is that the folder which is to be served is not there, and why.
func unreadable(path string, err error) error {
	return fmt.Errorf("--input %q cannot be read: %w", path, reason(err))
}

// reason is what the system said, without the call and the address.
func reason(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
