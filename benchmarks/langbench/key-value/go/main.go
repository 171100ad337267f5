// A server of keys and values; see langbench/key-value/contract.md.
package main

import (
	"math"

	"runfair/harness/go"
)

const classicRows = 1024

func main() {
	harness.Serve(
		harness.Benchmark{
			Name:      "key-value",
			Tier:      "standard",
			Workloads: []string{"spread", "classic", "capped"},
			Params: []harness.Param{
				{Name: "keys", Default: "500"},
				{Name: "value_bytes", Default: "64"},
				{Name: "rows", Default: "0"},
				{Name: "capacity_bytes", Default: "0"},
				{Name: "count", Default: "0"},
				{Name: "addresses", Default: "0"},
			},
		},
		&server{},
	)
}

// load is the empty store that the options ask for.
func load(options *harness.Options) (*store, error) {
	var mistake error
	parameter := func(name string, least, most int) int {
		value, err := options.Int(name, least, most)
		if err != nil && mistake == nil {
			mistake = err
		}
		return value
	}
	keys := parameter("keys", 1, 1<<20)
	valueBytes := parameter("value_bytes", 1, 1_000_000)
	rows := parameter("rows", 0, 1<<20)
	capacityBytes := parameter("capacity_bytes", 0, math.MaxInt32)
	count := parameter("count", 0, 1)
	addresses := parameter("addresses", 0, 1)
	if mistake != nil {
		return nil, mistake
	}
	if rows == 0 {
		rows = classicRows
		if options.Workload == "spread" {
			rows = powerOfTwo(keys)
		}
	}
	if capacityBytes == 0 && options.Workload == "capped" {
		capacityBytes = keys * valueBytes * 3 / 4
		if capacityBytes == 0 {
			capacityBytes = 1
		}
	}
	return &store{
		rows:          make([]row, rows),
		capacityBytes: int64(capacityBytes),
		counting:      count == 1,
		addresses:     addresses == 1,
	}, nil
}

// powerOfTwo is the smallest that is at least so many.
func powerOfTwo(least int) int {
	power := 1
	for power < least {
		power *= 2
	}
	return power
}
