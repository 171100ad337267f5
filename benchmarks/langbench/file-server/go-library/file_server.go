// File-server-library is the benchmark langbench/file-server (contract.md
// beside this folder) by http.FileServer.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	harness "runfair/harness/go"
)

const stopLimit = 2 * time.Second

type service struct {
	server http.Server
}

// Start listens.
func (s *service) Start(options *harness.Options, address harness.Address) (int, error) {
	folder := filepath.Join(options.Inputs[0], "files")
	if _, err := os.ReadDir(folder); err != nil {
		return 0, fmt.Errorf("--input %q cannot be read: %w", options.Inputs[0], reason(err))
	}
	listening, err := net.Listen("tcp", net.JoinHostPort(address.Host, strconv.Itoa(address.Port)))
	if err != nil {
		return 0, address.CannotBeListenedOn(reason(err))
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

// reason is what the system said, without the call and the address.
func reason(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}

func main() {
	harness.Serve(harness.Benchmark{
		Name:      "file-server",
		Tier:      "library",
		Workloads: []string{"logs", "small-files"},
		Inputs:    1,
	}, &service{})
}
