// The service payments on net/http: benchmarks/services/payments/contract.md.
package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"payments/domain"
	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

const (
	// As behind any load balancer, longer than a client keeps an idle connection.
	keepAlive = 75 * time.Second
	// The contract's 5 s, less what ending the process takes.
	stopLimit = 4 * time.Second
)

func main() {
	services.Serve("payments", "net-http", &service{})
}

type service struct {
	server *http.Server
	orders *orders // nil without a database
}

func (s *service) Start(options harness.Options) (int, error) {
	payments, err := domain.Read(options)
	if err != nil {
		return 0, err
	}
	if database := os.Getenv("DATABASE_URL"); database != "" {
		if s.orders, err = openOrders(database, options.Int("connections")); err != nil {
			return 0, err
		}
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.server = &http.Server{
		Handler:     newHandler(payments, s.orders),
		IdleTimeout: keepAlive,
		Protocols:   &http.Protocols{},
	}
	s.server.Protocols.SetHTTP1(true)
	s.server.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *service) Stop() {
	soon, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if err := s.server.Shutdown(soon); err != nil {
		// A connection that asks nothing is left to the end of the process.
		return
	}
	if s.orders != nil {
		s.orders.close()
	}
}

// Counters is nil: a service counts nothing.
func (*service) Counters() map[string]uint64 { return nil }
