// Key-value is the benchmark langbench/key-value (contract.md beside this
// folder): a server of keys and values, a goroutine a connection.
package main

import (
	harness "runfair/harness/go"
	services "runfair/harness/services/go"
)

const classicRows = 1024

func main() {
	services.Serve("key-value", "standard", &server{})
}

// load is the empty store that the options ask for.
func load(options harness.Options) *store {
	workload := options.Text("workload")
	rows, capacityBytes := options.Int("rows"), options.Int("capacity_bytes")
	if rows == 0 {
		rows = classicRows
		if workload == "spread" {
			rows = powerOfTwo(options.Int("keys"))
		}
	}
	if capacityBytes == 0 && workload == "capped" {
		capacityBytes = max(1, options.Int("keys")*options.Int("value_bytes")*3/4)
	}
	return &store{
		rows:          make([]row, rows),
		capacityBytes: int64(capacityBytes),
		counting:      options.Counting(),
		addresses:     options.Int("addresses") == 1,
	}
}

// powerOfTwo is the smallest that is at least so many.
func powerOfTwo(least int) int {
	power := 1
	for power < least {
		power *= 2
	}
	return power
}
