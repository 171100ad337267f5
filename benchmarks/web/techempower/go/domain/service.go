package domain

import (
	"context"
	"net"
	"os"
	"sync/atomic"
	"time"

	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

const (
	// KeepAlive is, as behind any load balancer, longer than a client keeps an idle connection.
	KeepAlive = 75 * time.Second
	// The contract's 5 s, less what ending the process takes.
	stopLimit = 4 * time.Second
)

// Server is the server of a framework. Serve returns after Shutdown, which waits for the requests
// that are being answered.
type Server interface {
	Serve(listener net.Listener) error
	Shutdown(soon context.Context) error
}

// Serve runs the web tests on a framework's server, which gets nil if there is no database.
func Serve(tier string, framework func(*Database) Server) {
	services.Serve("techempower", tier, &service{framework: framework})
}

type service struct {
	framework func(*Database) Server
	server    Server
	database  *Database
	stopping  atomic.Bool
}

func (s *service) Start(options harness.Options) (int, error) {
	var err error
	if url := os.Getenv("DATABASE_URL"); url != "" {
		if s.database, err = openDatabase(url, options.Int("connections")); err != nil {
			return 0, err
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.server = s.framework(s.database)
	go func() {
		if err := s.server.Serve(listener); err != nil && !s.stopping.Load() {
			panic(err)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *service) Stop() {
	s.stopping.Store(true)
	soon, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if err := s.server.Shutdown(soon); err != nil {
		// A connection that asks nothing is left to the end of the process.
		return
	}
	if s.database != nil {
		s.database.close()
	}
}

// Counters is nil: a service counts nothing.
func (*service) Counters() map[string]uint64 { return nil }
