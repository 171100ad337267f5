package harness

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
)

// Service is a server, which answers until SIGTERM.
type Service interface {
	// Start returns the port once the server listens and all that it needs is
	// there. An error is a fault of what the command line asks for, reported to
	// the user with status 2.
	Start(options *Options, address Address) (port int, err error)
	// Stop takes no new connections, and returns once the requests under way are
	// answered.
	Stop()
}

// Address is where to listen; port 0 lets the kernel choose.
type Address struct {
	Host string
	Port int
}

// CannotBeListenedOn is that nobody can listen there, and why.
func (a Address) CannotBeListenedOn(reason error) error {
	return fmt.Errorf("--host %q --port %d cannot be listened on: %q", a.Host, a.Port, reason.Error())
}

// Text is a parameter as it was given.
func (o *Options) Text(name string) string {
	return o.params[name]
}

type ready struct {
	Event string `json:"event"`
	Host  string `json:"host"`
	Port  int    `json:"port"`
}

const greatestPort = 65535

var serviceOptions = []string{"--host", "--port", "--workload", "--size", "--seed", "--threads", "--input", "--param"}

// Serve carries out a service from its command line to its exit status. Until
// told otherwise its workload is the first of the benchmark's.
func Serve(benchmark Benchmark, service Service) {
	if err := serve(&benchmark, service, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", benchmark.Name, err)
		os.Exit(2)
	}
}

func serve(b *Benchmark, service Service, arguments []string, stdout io.Writer) error {
	address, others, err := parseAddress(arguments)
	if err != nil {
		return err
	}
	options, err := parse(b, append([]string{"--workload", b.Workloads[0]}, others...))
	if err != nil {
		return err
	}
	// A thread of the contract is what may run Go code at once.
	runtime.GOMAXPROCS(options.Threads)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)

	out := newOutput(stdout)
	started := newStart(b, nil, options)
	started.Threads = options.Threads
	out.say(started)
	port, err := service.Start(options, address)
	if err != nil {
		return err
	}
	out.say(ready{"ready", address.Host, port})
	out.flush()

	<-terminated
	service.Stop()
	out.say(end{"end", 0})
	out.flush()
	return nil
}

// parseAddress takes what only services are told, and leaves the other arguments.
func parseAddress(arguments []string) (address Address, others []string, err error) {
	address.Host = "127.0.0.1"
	for i := 0; i < len(arguments); i += 2 {
		option := arguments[i]
		if !contains(serviceOptions, option) {
			return address, nil, fmt.Errorf("unknown option %q; the options are %s", option, strings.Join(serviceOptions, ", "))
		}
		if i+1 == len(arguments) || strings.HasPrefix(arguments[i+1], "--") {
			return address, nil, fmt.Errorf("%s needs a value after it", option)
		}
		value := arguments[i+1]
		switch option {
		case "--host":
			address.Host = value
		case "--port":
			port, err := decimal(value, greatestPort)
			if err != nil {
				return address, nil, mistakenInteger(option, 0, greatestPort, value)
			}
			address.Port = int(port)
		default:
			others = append(others, option, value)
		}
	}
	return address, others, nil
}
