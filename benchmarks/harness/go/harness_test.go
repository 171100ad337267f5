package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// example is a program that writes down what is done to it.
type example struct {
	calls     strings.Builder
	loadError error
	runError  error
	busy      time.Duration
}

func (e *example) Load(*Options) error { e.calls.WriteString("L"); return e.loadError }
func (e *example) Prepare()            { e.calls.WriteString("p") }
func (e *example) Run() error          { e.calls.WriteString("r"); time.Sleep(e.busy); return e.runError }
func (e *example) Digest() uint64      { e.calls.WriteString("d"); return 0xab }
func (e *example) Count() (map[string]uint64, error) {
	e.calls.WriteString("c")
	return map[string]uint64{"swaps": 7}, e.runError
}

// full is an example with everything that a program may have.
type full struct{ example }

func (f *full) Threads(options *Options) int { return 2 * options.Threads }
func (f *full) Metrics() map[string]Metric   { return map[string]Metric{"hits": {1.5, "1"}} }
func (f *full) Samples() []Sample {
	return []Sample{{Name: "wait", Unit: "ns", Values: []float64{1, 2e21}}, {Name: "run", Unit: "ns", HDR: "HISTF"}}
}

// writes keeps each write apart.
type writes struct{ all []string }

func (w *writes) Write(text []byte) (int, error) {
	w.all = append(w.all, string(text))
	return len(text), nil
}

func (w *writes) events(t *testing.T) []map[string]interface{} {
	t.Helper()
	var events []map[string]interface{}
	for _, line := range strings.SplitAfter(strings.Join(w.all, ""), "\n") {
		if line == "" {
			continue
		}
		var event map[string]interface{}
		if err := json.Unmarshal([]byte(line), &event); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%q is no line of JSON: %v", line, err)
		}
		events = append(events, event)
	}
	return events
}

func run(t *testing.T, program Program, stdin io.Reader, arguments string) (*writes, []map[string]interface{}) {
	t.Helper()
	var out writes
	if err := execute(&letterBenchmark, program, strings.Fields(arguments), stdin, &out); err != nil {
		t.Fatal(err)
	}
	return &out, out.events(t)
}

func names(events []map[string]interface{}) string {
	var all []string
	for _, event := range events {
		all = append(all, event["event"].(string))
	}
	return strings.Join(all, " ")
}

func TestOneIterationIsTheDefault(t *testing.T) {
	var program example
	_, events := run(t, &program, nil, "")
	if got := names(events); got != "start iteration end" {
		t.Errorf("said %s", got)
	}
	if got := program.calls.String(); got != "Lprd" {
		t.Errorf("called %s", got)
	}
	if got := events[1]["digest"]; got != "00000000000000ab" {
		t.Errorf("digest %v", got)
	}
	if got := events[2]["iterations"]; got != 1.0 {
		t.Errorf("end tells %v iterations", got)
	}
}

func TestIterationsAreCounted(t *testing.T) {
	var program example
	_, events := run(t, &program, nil, "--iterations 3")
	if got := program.calls.String(); got != "Lprdprdprd" {
		t.Errorf("called %s", got)
	}
	for i, event := range events[1:4] {
		if event["index"] != float64(i) {
			t.Errorf("iteration %d says %v", i, event["index"])
		}
	}
}

func TestCountIsOneIterationThatRunsTheCountedCode(t *testing.T) {
	for _, arguments := range []string{"--count", "--count --iterations 5", "--count --iterations 0"} {
		var program example
		_, events := run(t, &program, strings.NewReader(""), arguments)
		if got := names(events); got != "start iteration operations end" {
			t.Errorf("%s: said %s", arguments, got)
		}
		if got := program.calls.String(); got != "Lpcd" {
			t.Errorf("%s: called %s", arguments, got)
		}
		if got := events[2]["counters"].(map[string]interface{})["swaps"]; got != 7.0 {
			t.Errorf("%s: counted %v", arguments, got)
		}
	}
}

func TestTimeEndsTheLoop(t *testing.T) {
	program := example{busy: 20 * time.Millisecond}
	_, events := run(t, &program, nil, "--max-seconds 0.5")
	if n := len(events) - 2; n < 2 || n > 26 {
		t.Errorf("%d iterations of 20 ms in 500 ms", n)
	}
	_, events = run(t, &program, nil, "--max-seconds 0")
	if n := len(events) - 2; n != 1 {
		t.Errorf("%d iterations in no time", n)
	}
	_, events = run(t, &program, nil, "--max-seconds 3600 --iterations 2")
	if n := len(events) - 2; n != 2 {
		t.Errorf("%d iterations, not 2", n)
	}
}

func TestEndOfInputEndsTheLoop(t *testing.T) {
	reader, writer := io.Pipe()
	program := example{busy: time.Millisecond}
	go func() {
		// What is written has no meaning; only its end has.
		_, _ = io.WriteString(writer, "ignored")
		time.Sleep(200 * time.Millisecond)
		_ = writer.Close()
	}()
	_, events := run(t, &program, reader, "--iterations 0")
	if n := len(events) - 2; n < 2 {
		t.Errorf("%d iterations of 1 ms in 200 ms", n)
	}
}

func TestInputIsWatchedOnlyWhenAsked(t *testing.T) {
	var program example
	_, events := run(t, &program, strings.NewReader(""), "--iterations 50")
	if n := len(events) - 2; n != 50 {
		t.Errorf("%d iterations, not 50", n)
	}
}

func TestLinesAreWrittenSeldom(t *testing.T) {
	out, _ := run(t, &example{}, nil, "--iterations 1000")
	// Start, end, and one each whole 100 ms between; the iterations take microseconds.
	if n := len(out.all); n < 2 || n > 20 {
		t.Errorf("%d writes", n)
	}
	out, _ = run(t, &example{busy: 110 * time.Millisecond}, nil, "--iterations 3")
	if n := len(out.all); n != 4 {
		t.Errorf("%d writes, not one for the start and one for each iteration", n)
	}
	if !strings.HasPrefix(out.all[0], `{"event":"start"`) || strings.Count(out.all[0], "\n") != 1 {
		t.Errorf("first write is %q", out.all[0])
	}
}

func TestStartTellsWhatIsInForce(t *testing.T) {
	_, events := run(t, &full{}, nil, `--size a"<b --seed 18446744073709551615 --threads 3`)
	start := events[0]
	if start["contract"] != 1.0 || start["benchmark"] != "example" || start["language"] != "go" || start["size"] != `a"<b` || start["threads"] != 6.0 {
		t.Errorf("start is %v", start)
	}
	for key, value := range start["effective"].(map[string]interface{}) {
		switch value.(type) {
		case string, float64, bool:
		default:
			t.Errorf("effective %s is no scalar: %v", key, value)
		}
	}
}

func TestSeedIsWrittenWhole(t *testing.T) {
	out, _ := run(t, &example{}, nil, "--seed 18446744073709551615")
	if !strings.Contains(out.all[0], `"seed":18446744073709551615,`) {
		t.Errorf("start is %s", out.all[0])
	}
}

func TestMetricsAndSamplesFollow(t *testing.T) {
	_, events := run(t, &full{}, nil, "--iterations 2")
	if got := names(events); got != "start iteration sample sample iteration sample sample end" {
		t.Fatalf("said %s", got)
	}
	metric := events[1]["metrics"].(map[string]interface{})["hits"].(map[string]interface{})
	if metric["value"] != 1.5 || metric["unit"] != "1" {
		t.Errorf("metric %v", metric)
	}
	values := events[2]["values"].([]interface{})
	if events[2]["name"] != "wait" || len(values) != 2 || values[1] != 2e21 {
		t.Errorf("sample %v", events[2])
	}
	if _, both := events[3]["values"]; both || events[3]["hdr"] != "HISTF" {
		t.Errorf("sample %v", events[3])
	}
}

func TestFaultsOfTheInputAreReturned(t *testing.T) {
	fault := errors.New("line 3")
	for _, program := range []*example{{loadError: fault}, {runError: fault}} {
		var out bytes.Buffer
		if err := execute(&letterBenchmark, program, nil, nil, &out); err != fault {
			t.Errorf("returned %v", err)
		}
		if strings.Contains(out.String(), `"event":"end"`) {
			t.Error("a program that was cut short said end")
		}
	}
	if err := execute(&letterBenchmark, &example{runError: fault}, []string{"--count"}, nil, io.Discard); err != fault {
		t.Errorf("returned %v", err)
	}
}

func TestClocksAdvance(t *testing.T) {
	wallNs, cpuNs := monotonicNs(), processCPUNs()
	for processCPUNs()-cpuNs < 5*cpuClockResolutionNs {
	}
	if monotonicNs() <= wallNs {
		t.Error("CPU time passed, and no time")
	}
}
