package harness

import (
	"math"
	"strings"
	"testing"
	"time"
)

var letterBenchmark = Benchmark{
	Name:      "example",
	Tier:      "standard",
	Workloads: []string{"classic", "other"},
	Params:    []Param{{"letters", "4"}},
}

func TestDefaultsAreTheContracts(t *testing.T) {
	options, err := parse(&letterBenchmark, nil)
	if err != nil {
		t.Fatal(err)
	}
	if options.Workload != "classic" || options.Size != "unnamed" || options.Seed != 1 || options.Threads != 1 ||
		options.Iterations != 1 || options.UntilTold || options.MaxDuration >= 0 || options.Count {
		t.Errorf("defaults are %+v", options)
	}
	if letters, err := options.Int("letters", 2, 26); letters != 4 || err != nil {
		t.Errorf("letters is %d, %v", letters, err)
	}
}

func TestOptionsAreRead(t *testing.T) {
	options, err := parse(&letterBenchmark, strings.Fields(
		"--workload other --size tiny --seed 18446744073709551615 --threads 3 --param letters=26 --iterations 0 --max-seconds 0.5 --count"))
	if err != nil {
		t.Fatal(err)
	}
	if options.Workload != "other" || options.Size != "tiny" || options.Seed != math.MaxUint64 || options.Threads != 3 ||
		!options.UntilTold || options.MaxDuration != 500*time.Millisecond || !options.Count {
		t.Errorf("read %+v", options)
	}
	if letters, err := options.Int("letters", 2, 26); letters != 26 || err != nil {
		t.Errorf("letters is %d, %v", letters, err)
	}
}

func TestSecondsAloneLeaveIterationsWithoutLimit(t *testing.T) {
	options, err := parse(&letterBenchmark, []string{"--max-seconds", "3"})
	if err != nil || options.Iterations != 0 || options.UntilTold || options.MaxDuration != 3*time.Second {
		t.Errorf("read %+v, %v", options, err)
	}
}

func TestMistakesAreRefusedInOneLine(t *testing.T) {
	for _, arguments := range [][]string{
		{"--unknown"},
		{"-h"},
		{"stray"},
		{""},
		{"line\nfeed"},
		{"--count=1"},
		{"--workload"},
		{"--workload", "--count"},
		{"--workload", "line\nfeed"},
		{"--workload", "Classic"},
		{"--size"},
		{"--seed", "-1"},
		{"--seed", "+1"},
		{"--seed", "1_0"},
		{"--seed", "0x10"},
		{"--seed", ""},
		{"--seed", " 1"},
		{"--seed", "18446744073709551616"},
		{"--threads", "0"},
		{"--threads", "2147483648"},
		{"--threads", "two"},
		{"--iterations", "-1"},
		{"--iterations", "1.5"},
		{"--iterations", "9223372036854775808"},
		{"--max-seconds", "-1"},
		{"--max-seconds", "inf"},
		{"--max-seconds", "NaN"},
		{"--max-seconds", "1e3"},
		{"--max-seconds", "."},
		{"--max-seconds", "1."},
		{"--max-seconds", "1.2.3"},
		{"--max-seconds", "9223372037"},
		{"--param", "letters"},
		{"--param", "=4"},
		{"--param", "lines=4"},
		{"--input", "file"},
	} {
		_, err := parse(&letterBenchmark, arguments)
		if err == nil {
			t.Errorf("%q is accepted", arguments)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q is refused in more than one line: %v", arguments, err)
		}
	}
}

func TestParametersOutOfRangeAreRefused(t *testing.T) {
	for _, value := range []string{"", "1", "27", "-4", "four", "4.0", "99999999999999999999"} {
		options, err := parse(&letterBenchmark, []string{"--param", "letters=" + value})
		if err != nil {
			t.Fatal(err)
		}
		if letters, err := options.Int("letters", 2, 26); err == nil {
			t.Errorf("letters=%q is accepted as %d", value, letters)
		}
	}
}
