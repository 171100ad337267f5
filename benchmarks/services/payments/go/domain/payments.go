// Package domain is what every framework's program has in common: its command
// line, what it keeps in memory, and the answers
// (benchmarks/services/payments/contract.md).
package domain

import (
	"encoding/json"
	"fmt"

	"runfair/harness/go"
)

const mostConnections = 1000

// Payments is what is kept in memory: the input of the service.
type Payments struct {
	Records    []string    `json:"records"`
	Processors []Processor `json:"processors"`
}

// Benchmark is what every framework's program has in common for the harness.
func Benchmark(tier string) harness.Benchmark {
	return harness.Benchmark{
		Name:      "payments",
		Tier:      tier,
		Workloads: []string{"pay", "route", "order"},
		Params:    []harness.Param{{Name: "database"}, {Name: "connections", Default: "16"}},
		Inputs:    1,
	}
}

// Read reads the input.
func Read(options *harness.Options) (*Payments, error) {
	content, err := options.ReadInput(0)
	if err != nil {
		return nil, err
	}
	payments := &Payments{}
	if err := json.Unmarshal(content, payments); err != nil || len(payments.Records) == 0 {
		return nil, fmt.Errorf("--input %q is not the payments.json of the generator", options.Inputs[0])
	}
	return payments, nil
}

// Connections is the size of the connection pool.
func Connections(options *harness.Options) (int, error) {
	return options.Int("connections", 1, mostConnections)
}
