package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

type event map[string]any

// output keeps lines in memory until the harness writes them between iterations.
type output struct {
	lines                bytes.Buffer
	startedNs, writtenNs int64
}

func newOutput(tier string, threads int) *output {
	o := &output{startedNs: monotonicNs()}
	o.print(event{
		"monotonic_ns": o.startedNs, "realtime_ns": time.Now().UnixNano(),
		"event": "start", "contract": 2, "benchmark": benchmark, "language": "go", "tier": tier,
		"runtime": runtime.Version(), "threads": threads, "processors": runtime.NumCPU(),
		"cpu_clock_resolution_ns": 1000, "effective": effective(), // getrusage(2) counts in microseconds
	})
	return o
}

func (o *output) print(line event) { fmt.Fprintf(&o.lines, "%s\n", must(json.Marshal(line))) }

func (o *output) end(iterations int) {
	o.print(event{"event": "end", "iterations": iterations})
	o.flush()
}

func (o *output) flush() {
	must(o.lines.WriteTo(os.Stdout))
	o.writtenNs = monotonicNs()
}

// monotonicNs reads CLOCK_MONOTONIC itself: package time hides its absolute
// value, which the lab and observers share. Neither call here can fail.
func monotonicNs() int64 {
	const clockMonotonic = 1 // linux/time.h
	var now syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

// processCPUNs is user and system time of all threads and of reaped children.
func processCPUNs() (sum int64) {
	for _, who := range [...]int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		_ = syscall.Getrusage(who, &usage)
		sum += usage.Utime.Nano() + usage.Stime.Nano()
	}
	return sum
}
