// Package domain is what every framework's program has in common: what it keeps
// in memory, and the answers (benchmarks/services/payments/contract.md).
package domain

import (
	"encoding/json"
	"fmt"

	harness "runfair/harness/go"
)

// Payments is what is kept in memory: the input of the service.
type Payments struct {
	Records    []string    `json:"records"`
	Processors []Processor `json:"processors"`
}

// Read reads the input.
func Read(options harness.Options) (*Payments, error) {
	content, err := options.ReadInput()
	if err != nil {
		return nil, err
	}
	payments := &Payments{}
	if err := json.Unmarshal(content, payments); err != nil || len(payments.Records) == 0 {
		return nil, fmt.Errorf("input %q is not the payments.json of the generator", options.Text("input"))
	}
	return payments, nil
}
