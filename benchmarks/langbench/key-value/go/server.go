package main

import (
	"bufio"
	"errors"
	"net"
	"sync"
	"time"

	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

const (
	leaveLimit = time.Second
	// Descriptors may run out; the next connections wait in the kernel until some end.
	shortagePause = 10 * time.Millisecond
)

// server serves each connection on a goroutine of its own.
type server struct {
	store       *store
	totals      *totals
	listener    net.Listener
	mutex       sync.Mutex
	connections map[*net.TCPConn]bool
	left        sync.WaitGroup
}

func (s *server) Start(options harness.Options) (int, error) {
	s.store = load(options)
	var err error
	s.listener, err = net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.totals = newTotals()
	s.connections = map[*net.TCPConn]bool{}
	s.left.Add(1)
	go s.accept()
	return s.listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *server) Stop() {
	s.listener.Close()
	s.mutex.Lock()
	for connection := range s.connections {
		// What has been received is still read and answered.
		connection.CloseRead()
	}
	s.mutex.Unlock()
	allLeft := make(chan struct{})
	go func() {
		s.left.Wait()
		close(allLeft)
	}()
	select {
	case <-allLeft:
	case <-time.After(leaveLimit):
		// Who does not take the answers is left to the end of the process.
	}
}

func (s *server) accept() {
	defer s.left.Done()
	for {
		connection, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(shortagePause)
			continue
		}
		s.left.Add(1)
		s.mutex.Lock()
		s.connections[connection.(*net.TCPConn)] = true
		s.mutex.Unlock()
		go s.serve(connection.(*net.TCPConn))
	}
}

func (s *server) serve(connection *net.TCPConn) {
	defer s.left.Done()
	replies := replies{bufio.NewWriterSize(connection, bufferBytes)}
	requests := newRequests(connection, replies.Writer)
	session := &session{store: s.store, totals: s.totals, replies: replies}
	s.totals.begin(&session.statistics)
	defer s.totals.end(&session.statistics)
	// An end or a reset by the client is an end like any other.
	var err error
	for err == nil && !session.closing {
		var words [][]byte
		if words, err = requests.next(); err == nil && len(words) > 0 {
			session.answer(words)
		}
	}
	var mistake protocolError
	if errors.As(err, &mistake) {
		replies.error("ERR Protocol error: " + mistake.Error())
	}
	replies.Flush()

	s.mutex.Lock()
	delete(s.connections, connection)
	s.mutex.Unlock()
	connection.Close()
}

func (s *server) Counters() map[string]uint64 {
	counted := s.totals.sum().counted
	return map[string]uint64{
		"sets":        counted.sets,
		"gets":        counted.gets,
		"hits":        counted.hits,
		"misses":      counted.misses,
		"chain_steps": counted.chainSteps,
		"entries":     uint64(s.store.entries()),
		"evictions":   counted.evictions,
	}
}
