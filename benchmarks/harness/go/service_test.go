package harness

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"
)

// terminated is a service that is told to end as soon as it has started.
type terminated struct {
	options *Options
	address Address
	fault   error
	stopped bool
}

func (s *terminated) Start(options *Options, address Address) (int, error) {
	s.options, s.address = options, address
	if s.fault != nil {
		return 0, s.fault
	}
	return 4711, syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
}

func (s *terminated) Stop() { s.stopped = true }

func exampleService() *Benchmark {
	return &Benchmark{Name: "shop", Tier: "plain", Workloads: []string{"buy", "sell"}, Params: []Param{{"database", ""}}}
}

func TestServiceSaysStartReadyAndEnd(t *testing.T) {
	said, service := &writes{}, &terminated{}
	arguments := []string{"--host", "localhost", "--port", "80", "--threads", "2", "--param", "database=x=y"}
	if err := serve(exampleService(), service, arguments, said); err != nil {
		t.Fatal(err)
	}
	events := said.events(t)
	if len(events) != 3 {
		t.Fatalf("%v", events)
	}
	start, ready, end := events[0], events[1], events[2]
	if start["event"] != "start" || start["workload"] != "buy" || start["threads"] != 2.0 {
		t.Errorf("%v", start)
	}
	if effective := start["effective"].(map[string]interface{}); effective["gomaxprocs"] != 2.0 {
		t.Errorf("%v", effective)
	}
	if ready["event"] != "ready" || ready["host"] != "localhost" || ready["port"] != 4711.0 {
		t.Errorf("%v", ready)
	}
	if end["event"] != "end" || end["iterations"] != 0.0 || !service.stopped {
		t.Errorf("%v, stopped %v", end, service.stopped)
	}
	if service.address != (Address{"localhost", 80}) || service.options.Text("database") != "x=y" {
		t.Errorf("%v, database %q", service.address, service.options.Text("database"))
	}
}

func TestMistakesOfAServiceAreNamedAndNothingIsSaid(t *testing.T) {
	fault := errors.New("no such database")
	for message, arguments := range map[string][]string{
		`unknown option "--iterations"`:                        {"--iterations", "1"},
		`--port needs a value after it`:                        {"--port", "--host"},
		`--host needs a value after it`:                        {"--host"},
		`--port takes an integer from 0 to 65535, not "x"`:     {"--port", "x"},
		`--port takes an integer from 0 to 65535, not "65536"`: {"--port", "65536"},
		`unknown workload "lend"`:                              {"--workload", "lend"},
		fault.Error():                                          {},
	} {
		var said bytes.Buffer
		err := serve(exampleService(), &terminated{fault: fault}, arguments, &said)
		if err == nil || !strings.HasPrefix(err.Error(), message) {
			t.Errorf("%v: %v", arguments, err)
		}
		if said.Len() > 0 {
			t.Errorf("%v: said %q", arguments, said.String())
		}
	}
}
