package harness

import (
	"os"
	"testing"
)

func TestClocksAdvance(t *testing.T) {
	wallNs, cpuNs := monotonicNs(), processCPUNs()
	for processCPUNs() == cpuNs {
	}
	if monotonicNs() <= wallNs {
		t.Error("CPU time passed, and no time")
	}
}

func TestOptionsAreCutAtTheFirstSign(t *testing.T) {
	arguments := os.Args
	defer func() { os.Args = arguments }()
	os.Args = []string{"program", "queries=a=b", "seed=18446744073709551615"}
	options := newOptions("example")
	if options.Text("queries") != "a=b" || options.Seed() != 1<<64-1 || options.Counting() {
		t.Errorf("read %v", options)
	}
}

func TestEffectiveHoldsScalars(t *testing.T) {
	for name, value := range effective() {
		switch value.(type) {
		case string, int, uint64, bool:
		default:
			t.Errorf("%s is %T", name, value)
		}
	}
}
