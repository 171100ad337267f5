// The web tests on fasthttp: benchmarks/web/techempower/contract.md.
package main

import (
	"context"
	"net"
	"os"
	"time"

	"github.com/valyala/fasthttp"
	harness "runfair/harness/go"
	services "runfair/harness/services/go"
	"techempower/domain"
)

const (
	// As behind any load balancer, longer than a client keeps an idle connection.
	keepAlive = 75 * time.Second
	// The contract's 5 s, less what ending the process takes.
	stopLimit = 4 * time.Second
)

func main() {
	services.Serve("techempower", "fasthttp", &service{})
}

type service struct {
	server   *fasthttp.Server
	database *domain.Database // nil without one
}

func (s *service) Start(options harness.Options) (int, error) {
	var err error
	if url := os.Getenv("DATABASE_URL"); url != "" {
		if s.database, err = domain.OpenDatabase(url, options.Int("connections")); err != nil {
			return 0, err
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.server = &fasthttp.Server{
		Handler:         newHandler(s.database),
		Name:            "fasthttp",
		IdleTimeout:     keepAlive,
		CloseOnShutdown: true,
	}
	go func() {
		if err := s.server.Serve(listener); err != nil {
			panic(err)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *service) Stop() {
	soon, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if err := s.server.ShutdownWithContext(soon); err != nil {
		// A connection that asks nothing is left to the end of the process.
		return
	}
	if s.database != nil {
		s.database.Close()
	}
}

// Counters is nil: a service counts nothing.
func (*service) Counters() map[string]uint64 { return nil }
