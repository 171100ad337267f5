// Package harness is Go's half of the program contract (benchmarks/contract.md). Go 1.4 builds it.
package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/ioutil"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Program is a benchmark's task. An error is the user's mistake; what else goes wrong panics.
type Program interface {
	Threads(options Options) int // how many it will really use
	Load(options Options) error
	Prepare()
	Run() error // alone is timed
	Digest() uint64
	Counters() map[string]uint64 // what its ticks have added up since the start
}

// Main runs a program from its command line to its end.
func Main(benchmark, tier string, program Program) {
	if path := os.Getenv("RUNFAIR_CPU_PROFILE"); path != "" { // the training of `go build -pgo`
		file, err := os.Create(path)
		ExitIf(err)
		ExitIf(pprof.StartCPUProfile(file))
		defer pprof.StopCPUProfile()
	}
	options, startedNs, writtenNs := NewOptions(benchmark), clockNs(monotonic), int64(0)
	PrintStart(tier, program.Threads(options))
	iterations := options.Int("iterations")
	seconds, unlimited := strconv.ParseFloat(options["seconds"], 64)
	ExitIf(program.Load(options))
	var inputEnded int32 // 1 if so
	if iterations == 0 {
		go func() { // sleeps in read(2) and holds no processor
			_, _ = io.Copy(ioutil.Discard, os.Stdin) // an error is an end, too
			atomic.StoreInt32(&inputEnded, 1)
		}()
	}
	done, nowNs := 0, startedNs
	for ended := false; !ended; {
		if nowNs-writtenNs >= 1e8 { // at most ten writes a second
			WriteLines()
			writtenNs = nowNs
		}
		iterate(program, done, options.Counting())
		done, nowNs = done+1, clockNs(monotonic)
		ended = done == iterations || atomic.LoadInt32(&inputEnded) == 1 || unlimited == nil && float64(nowNs-startedNs) >= seconds*1e9
	}
	PrintLine(Event{"event": "end", "iterations": done})
	WriteLines()
}

// iterate prints text, which leaves less garbage to the next iteration than an object to encode.
func iterate(program Program, index int, counting bool) {
	program.Prepare()
	before := program.Counters()
	beginSamples(index)
	wallNs := clockNs(monotonic)
	cpuNs := clockNs(processCPU)
	ExitIf(program.Run())
	cpuEndNs := clockNs(processCPU)
	wallEndNs := clockNs(monotonic)
	fmt.Fprintf(&lines, `{"event":"iteration","index":%d,"started_monotonic_ns":%d,"wall_ns":%d,"cpu_ns":%d,"digest":"%016x"%s}`+"\n",
		index, wallNs, wallEndNs-wallNs, cpuEndNs-cpuNs, program.Digest(), samples())
	if counting {
		counters := program.Counters()
		for name := range counters {
			counters[name] -= before[name]
		}
		PrintLine(Event{"event": "operations", "counters": counters})
	}
}

// Event is a line of output.
type Event map[string]interface{}

// buildSettings are the compiler's record of its own flags; a program of an older Go cannot read it.
var buildSettings = func() Event { return Event{} }
var benchmark string   // its name begins each message of a mistake
var lines bytes.Buffer // of output, which wait until they are written between iterations

// PrintLine adds a line to the output.
func PrintLine(line Event) { require(json.NewEncoder(&lines).Encode(line)) }

// WriteLines writes the output so far.
func WriteLines() {
	_, err := lines.WriteTo(os.Stdout)
	require(err)
}

// PrintStart adds the first line: the runtime, and what is in force.
func PrintStart(tier string, threads int) {
	gogc := debug.SetGCPercent(-1) // the only way to read it in every Go
	debug.SetGCPercent(gogc)
	effective := buildSettings()
	effective["gomaxprocs"], effective["gogc"] = runtime.GOMAXPROCS(0), gogc
	effective["asyncpreemptoff"] = strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") // as requested
	PrintLine(Event{
		"event": "start", "contract": 2, "benchmark": benchmark, "language": "go", "tier": tier,
		"monotonic_ns": clockNs(monotonic), "realtime_ns": clockNs(realtime), "cpu_clock_resolution_ns": 1,
		"runtime": runtime.Version(), "threads": threads, "processors": runtime.NumCPU(), "effective": effective,
	})
}

const realtime, monotonic, processCPU = 0, 1, 2 // linux/time.h; package time hides the clocks
func clockNs(clock uintptr) int64 {
	var now syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}
