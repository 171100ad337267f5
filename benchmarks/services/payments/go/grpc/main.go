// The service payments on grpc-go: benchmarks/services/payments/contract.md.
package main

import (
	"net"
	"time"

	"google.golang.org/grpc"

	"payments/domain"
	"payments/generated"
	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

// The contract's 5 s, less what ending the process takes.
const stopLimit = 4 * time.Second

func main() {
	services.Serve("payments", "grpc-go", &service{})
}

type service struct {
	server *grpc.Server
}

func (s *service) Start(options harness.Options) (int, error) {
	payments, err := domain.Read(options)
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.server = grpc.NewServer()
	generated.RegisterPaymentsServer(s.server, &calls{payments: payments})
	go func() {
		if err := s.server.Serve(listener); err != nil {
			panic(err)
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *service) Stop() {
	stopped := make(chan struct{})
	go func() {
		s.server.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
	// A connection that asks nothing is left to the end of the process.
	case <-time.After(stopLimit):
	}
}

// Counters is nil: a service counts nothing.
func (*service) Counters() map[string]uint64 { return nil }
