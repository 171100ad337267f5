// Package harness is Go's half of the program contract (benchmarks/contract.md).
package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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
		exitIf(pprof.StartCPUProfile(must(os.Create(path))))
		defer pprof.StopCPUProfile()
	}
	options, startedNs, writtenNs := newOptions(benchmark), clockNs(monotonic), int64(0)
	printStart(tier, program.Threads(options))
	iterations := options.Int("iterations")
	seconds, unlimited := strconv.ParseFloat(options["seconds"], 64)
	exitIf(program.Load(options))
	var inputEnded atomic.Bool
	if iterations == 0 {
		go func() { // sleeps in read(2) and holds no processor
			_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end, too
			inputEnded.Store(true)
		}()
	}
	done, nowNs := 0, startedNs
	for ended := false; !ended; {
		if nowNs-writtenNs >= 1e8 { // at most ten writes a second
			must(lines.WriteTo(os.Stdout))
			writtenNs = nowNs
		}
		iterate(program, done, options.Counting())
		done, nowNs = done+1, clockNs(monotonic)
		ended = done == iterations || inputEnded.Load() || unlimited == nil && float64(nowNs-startedNs) >= seconds*1e9
	}
	printLine(event{"event": "end", "iterations": done})
	must(lines.WriteTo(os.Stdout))
}

// iterate prints text, which leaves less garbage to the next iteration than an object to encode.
func iterate(program Program, index int, counting bool) {
	program.Prepare()
	before := program.Counters()
	beginSamples(index)
	wallNs := clockNs(monotonic)
	cpuNs := clockNs(processCPU)
	exitIf(program.Run())
	cpuEndNs := clockNs(processCPU)
	wallEndNs := clockNs(monotonic)
	fmt.Fprintf(&lines, `{"event":"iteration","index":%d,"started_monotonic_ns":%d,"wall_ns":%d,"cpu_ns":%d,"digest":"%016x"%s}`+"\n",
		index, wallNs, wallEndNs-wallNs, cpuEndNs-cpuNs, program.Digest(), samples())
	if counting {
		counters := program.Counters()
		for name := range counters {
			counters[name] -= before[name]
		}
		printLine(event{"event": "operations", "counters": counters})
	}
}

// Service is a server.
type Service interface {
	Start(options Options) (port int, mistake error) // when it listens and has all that it needs
	Stop()                                           // takes no new connections and answers what is under way
	Counters() map[string]uint64                     // nil if a library does the work
}

// Serve runs a service until SIGTERM.
func Serve(benchmark, tier string, service Service) {
	options := newOptions(benchmark)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	runtime.GOMAXPROCS(options.Int("threads")) // a thread of the contract may run Go code
	printStart(tier, options.Int("threads"))
	port, mistake := service.Start(options)
	exitIf(mistake)
	printLine(event{"event": "ready", "host": options.Text("host"), "port": port})
	must(lines.WriteTo(os.Stdout))
	<-terminated
	service.Stop()
	if counters := service.Counters(); counters != nil && options.Counting() {
		printLine(event{"event": "operations", "counters": counters})
	}
	printLine(event{"event": "end", "iterations": 0})
	must(lines.WriteTo(os.Stdout))
}

type event map[string]any

var benchmark string   // its name begins each message of a mistake
var lines bytes.Buffer // of output, which wait until they are written between iterations

func printLine(line event) { must(0, json.NewEncoder(&lines).Encode(line)) }

func printStart(tier string, threads int) {
	build, _ := debug.ReadBuildInfo()
	settings := fmt.Sprint(build.Settings)
	gogc := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(gogc)
	printLine(event{
		"event": "start", "contract": 2, "benchmark": benchmark, "language": "go", "tier": tier,
		"monotonic_ns": clockNs(monotonic), "realtime_ns": clockNs(realtime),
		"runtime": runtime.Version(), "threads": threads, "processors": runtime.NumCPU(),
		"cpu_clock_resolution_ns": 1, "effective": event{
			"build_flags": settings, "optimisation": !strings.Contains(settings, "-N"),
			"pgo": strings.Contains(settings, "{-pgo "), "gomaxprocs": runtime.GOMAXPROCS(0),
			"gogc": int64(gogc[0].Value.Uint64()), "heap_max_bytes": debug.SetMemoryLimit(-1),
		},
	})
}

const realtime, monotonic, processCPU = 0, 1, 2 // linux/time.h; package time hides the clocks

func clockNs(clock uintptr) int64 {
	var now syscall.Timespec
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}
