// A server of keys and values, written from the contract alone: langbench/key-value/contract.md. Of
// the language it asks no more than Go 1.0 had.
package main

import (
	"bufio"
	"net"
	"sync"
	"time"

	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

const (
	leaveLimit    = time.Second
	shortagePause = 10 * time.Millisecond
)

// server has the store and the sessions of all connections.
type server struct {
	store    *store
	listener net.Listener
	counting bool
	left     sync.WaitGroup

	mutex    sync.Mutex // guards the rest
	stopping bool
	sessions map[*session]*net.TCPConn
	ended    counts // of sessions that have ended
}

func (s *server) Start(options harness.Options) (int, error) {
	workload := options.Text("workload")
	rows, capacity := options.Int("rows"), options.Int("capacity_bytes")
	if rows == 0 && workload == "spread" {
		for rows = 1; rows < options.Int("keys"); rows *= 2 {
		}
	} else if rows == 0 {
		rows = 1024
	}
	if capacity == 0 && workload == "capped" {
		capacity = options.Int("keys") * options.Int("value_bytes") * 3 / 4
		if capacity == 0 {
			capacity = 1
		}
	}
	s.store = &store{rows: make([]row, rows), capacity: int64(capacity)}
	s.counting = options.Counting()
	s.sessions = map[*session]*net.TCPConn{}
	var err error
	s.listener, err = net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.left.Add(1)
	go s.accept()
	return s.listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *server) accept() {
	defer s.left.Done()
	for {
		connection, err := s.listener.Accept()
		s.mutex.Lock()
		stopping := s.stopping
		s.mutex.Unlock()
		if err == nil {
			s.left.Add(1)
			go s.serve(connection.(*net.TCPConn))
		} else if stopping {
			return
		} else {
			time.Sleep(shortagePause) // too many files are open
		}
	}
}

func (s *server) serve(connection *net.TCPConn) {
	defer s.left.Done()
	writer := bufio.NewWriter(connection)
	session := &session{server: s, store: s.store, writer: writer}
	s.begin(session, connection)
	session.converse(newRequests(connection, writer))
	writer.Flush()
	s.end(session)
	connection.Close()
}

func (s *server) begin(session *session, connection *net.TCPConn) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.sessions[session] = connection
	if s.stopping {
		connection.CloseRead()
	}
}

func (s *server) end(session *session) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.sessions, session)
	s.ended.add(session.published)
}

// sum is over all connections, open and ended.
func (s *server) sum() counts {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sum := s.ended
	for session := range s.sessions {
		session.mutex.Lock()
		sum.add(session.published)
		session.mutex.Unlock()
	}
	return sum
}

func (s *server) Stop() {
	s.mutex.Lock()
	s.stopping = true
	for _, connection := range s.sessions {
		connection.CloseRead()
	}
	s.mutex.Unlock()
	s.listener.Close()
	left := make(chan bool)
	go func() {
		s.left.Wait()
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(leaveLimit):
	}
}

func (s *server) Counters() map[string]uint64 {
	sum := s.sum()
	return map[string]uint64{
		"sets": sum.sets, "gets": sum.gets, "hits": sum.hits, "misses": sum.misses,
		"chain_steps": sum.chainSteps, "entries": uint64(s.store.entries()),
		"evictions": sum.evictions,
	}
}

func main() {
	services.Serve("key-value", "plain", &server{})
}
