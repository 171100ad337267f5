// File-server-library is the benchmark langbench/file-server (contract.md
// beside this folder) by http.FileServer.
package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

const stopLimit = 2 * time.Second

type service struct {
	server http.Server
}

// Start listens.
func (s *service) Start(options harness.Options) (int, error) {
	input := options.Text("input")
	folder := filepath.Join(input, "files")
	if _, err := os.ReadDir(folder); err != nil {
		return 0, harness.CannotBeRead(input, err)
	}
	listening, err := net.Listen("tcp", net.JoinHostPort(options.Text("host"), options.Text("port")))
	if err != nil {
		return 0, services.CannotBeListenedOn(options, err)
	}
	s.server.Handler = http.FileServer(http.Dir(folder))
	go func() {
		if err := s.server.Serve(listening); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return listening.Addr().(*net.TCPAddr).Port, nil
}

// Stop lets the requests under way be answered, for a while.
func (s *service) Stop() {
	soon, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if s.server.Shutdown(soon) != nil {
		s.server.Close() // a connection that is left ends with the process in any case
	}
}

// Counters is nil: the load generator counts.
func (*service) Counters() map[string]uint64 { return nil }

func main() {
	services.Serve("file-server", "library", &service{})
}
