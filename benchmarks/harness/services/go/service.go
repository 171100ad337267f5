// Package services is what servers need beside the harness (benchmarks/contract.md).
package services

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	harness "runfair/harness/go"
)

// Service is a server.
type Service interface {
	Start(options harness.Options) (port int, mistake error) // when it listens and has all that it needs
	Stop()                                                   // takes no new connections and answers what is under way
	Counters() map[string]uint64                             // nil if a library does the work
}

// Serve runs a service until SIGTERM.
func Serve(benchmark, tier string, service Service) {
	options := harness.NewOptions(benchmark)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	runtime.GOMAXPROCS(options.Int("threads")) // a thread of the contract may run Go code
	harness.PrintStart(tier, runtime.GOMAXPROCS(0))
	port, mistake := service.Start(options)
	harness.ExitIf(mistake)
	harness.PrintLine(harness.Event{"event": "ready", "host": options.Text("host"), "port": port})
	harness.WriteLines()
	<-terminated
	service.Stop()
	if counters := service.Counters(); counters != nil && options.Counting() {
		harness.PrintLine(harness.Event{"event": "operations", "counters": counters})
	}
	harness.PrintLine(harness.Event{"event": "end", "iterations": 0})
	harness.WriteLines()
}

// CannotBeListenedOn is the user's mistake in an address.
func CannotBeListenedOn(options harness.Options, err error) error {
	return fmt.Errorf("host %q port %s cannot be listened on: %q", options.Text("host"), options.Text("port"), err)
}
