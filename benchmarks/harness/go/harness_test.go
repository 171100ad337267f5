package harness

import (
	"encoding/json"
	"os"
	"testing"
)

func TestClocksAdvance(t *testing.T) {
	wallNs, cpuNs := clockNs(monotonic), clockNs(processCPU)
	for clockNs(processCPU) == cpuNs {
	}
	if clockNs(monotonic) <= wallNs {
		t.Error("CPU time passed, and no time")
	}
}

func TestOptionsAreCutAtTheFirstSign(t *testing.T) {
	arguments := os.Args
	defer func() { os.Args = arguments }()
	os.Args = []string{"program", "queries=a=b", "seed=18446744073709551615"}
	options := NewOptions("example")
	if options.Text("queries") != "a=b" || options.Seed() != 1<<64-1 || options.Counting() {
		t.Errorf("read %v", options)
	}
}

func TestEffectiveHoldsScalars(t *testing.T) {
	defer lines.Reset()
	PrintStart("standard", 1)
	var start struct{ Effective map[string]any }
	if err := json.Unmarshal(lines.Bytes(), &start); err != nil || len(start.Effective) == 0 {
		t.Fatalf("%v in %s", err, &lines)
	}
	for name, value := range start.Effective {
		switch value.(type) {
		case string, float64, bool:
		default:
			t.Errorf("%s is %T", name, value)
		}
	}
}
