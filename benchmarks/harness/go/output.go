package harness

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// Metric is a figure of the benchmark's own.
type Metric struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// Sample is a distribution: either Values, or HDR, an HdrHistogram (V2
// compressed, base 64).
type Sample struct {
	Name   string    `json:"name"`
	Unit   string    `json:"unit"`
	Values []float64 `json:"values,omitempty"`
	HDR    string    `json:"hdr,omitempty"`
}

type start struct {
	Event                string                 `json:"event"`
	Contract             int                    `json:"contract"`
	Benchmark            string                 `json:"benchmark"`
	Language             string                 `json:"language"`
	Tier                 string                 `json:"tier"`
	Workload             string                 `json:"workload"`
	Size                 string                 `json:"size"`
	Seed                 uint64                 `json:"seed"`
	Runtime              string                 `json:"runtime"`
	Threads              int                    `json:"threads"`
	Processors           int                    `json:"processors"`
	MonotonicNs          int64                  `json:"monotonic_ns"`
	RealtimeNs           int64                  `json:"realtime_ns"`
	CPUClockResolutionNs int64                  `json:"cpu_clock_resolution_ns"`
	Effective            map[string]interface{} `json:"effective"`
}

type iteration struct {
	Event              string            `json:"event"`
	Index              int64             `json:"index"`
	StartedMonotonicNs int64             `json:"started_monotonic_ns"`
	WallNs             int64             `json:"wall_ns"`
	CPUNs              int64             `json:"cpu_ns"`
	Digest             string            `json:"digest"`
	Metrics            map[string]Metric `json:"metrics,omitempty"`
}

type sampleEvent struct {
	Event string `json:"event"`
	Sample
}

type operations struct {
	Event    string            `json:"event"`
	Counters map[string]uint64 `json:"counters"`
}

type end struct {
	Event      string `json:"event"`
	Iterations int64  `json:"iterations"`
}

// At most ten writes a second (contract.md, "What it says").
const writeInterval = 100 * time.Millisecond

// output keeps lines in memory until the harness, between iterations, has them
// written.
type output struct {
	writer    io.Writer
	lines     bytes.Buffer
	encoder   *json.Encoder
	writtenNs int64
}

func newOutput(writer io.Writer) *output {
	out := &output{writer: writer}
	out.encoder = json.NewEncoder(&out.lines)
	out.encoder.SetEscapeHTML(false)
	return out
}

func (o *output) say(event interface{}) {
	if err := o.encoder.Encode(event); err != nil {
		panic(err)
	}
}

func (o *output) flushIfDue() {
	if monotonicNs()-o.writtenNs >= writeInterval.Nanoseconds() {
		o.flush()
	}
}

func (o *output) flush() {
	if _, err := o.lines.WriteTo(o.writer); err != nil {
		panic(err)
	}
	o.writtenNs = monotonicNs()
}
