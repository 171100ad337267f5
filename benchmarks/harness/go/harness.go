// Package harness is Go's half of the program contract (benchmarks/contract.md).
package harness

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"syscall"
)

// Program is a benchmark's task, of which Run alone is timed. An error of Load or
// Run is the user's mistake; whatever else goes wrong panics.
type Program interface {
	Threads(options Options) int // how many it will really use
	Load(options Options) error
	Prepare()
	Run() error
	Digest() uint64
	Counters() map[string]uint64 // what its ticks have added up since the start
}

// Main runs a program from its command line to its end.
func Main(benchmark, tier string, program Program) {
	if path := os.Getenv("RUNFAIR_CPU_PROFILE"); path != "" { // the training of `go build -pgo`
		exitIf(pprof.StartCPUProfile(must(os.Create(path))))
		defer pprof.StopCPUProfile()
	}
	options := newOptions(benchmark)
	out := newOutput(tier, program.Threads(options))
	iterations := options.Int("iterations")
	exitIf(program.Load(options))
	out.flush()
	seconds, unlimited := strconv.ParseFloat(options["seconds"], 64)
	var inputEnded atomic.Bool
	if iterations == 0 {
		go func() { // sleeps in read(2) and holds no processor
			_, _ = io.Copy(io.Discard, os.Stdin) // an error is an end, too
			inputEnded.Store(true)
		}()
	}
	for done := 1; ; done++ {
		iterate(out, program, done-1, options.Counting())
		timeIsUp := unlimited == nil && float64(monotonicNs()-out.startedNs) >= seconds*1e9
		if done == iterations || timeIsUp || inputEnded.Load() {
			out.end(done)
			return
		}
		if monotonicNs()-out.writtenNs >= 1e8 { // at most ten writes a second
			out.flush()
		}
	}
}

// iterate reads the CPU clock inside the interval of the wall clock.
func iterate(out *output, program Program, index int, counting bool) {
	program.Prepare()
	var before map[string]uint64
	if counting {
		before = program.Counters()
	}
	wallNs := monotonicNs()
	cpuNs := processCPUNs()
	mistake := program.Run()
	cpuEndNs := processCPUNs()
	wallEndNs := monotonicNs()
	exitIf(mistake)
	// Text leaves less garbage to the next iteration than an object to encode.
	fmt.Fprintf(&out.lines, `{"event":"iteration","index":%d,"started_monotonic_ns":%d,"wall_ns":%d,"cpu_ns":%d,"digest":"%016x"}`+"\n",
		index, wallNs, wallEndNs-wallNs, cpuEndNs-cpuNs, program.Digest())
	if counting {
		counters := program.Counters()
		for name := range counters {
			counters[name] -= before[name]
		}
		out.print(event{"event": "operations", "counters": counters})
	}
}

// Service is a server. Start returns when it listens and has all that it needs;
// its error is the user's mistake. Stop takes no new connections and returns when
// what is under way is answered. Counters is nil if a library does the work.
type Service interface {
	Start(options Options) (port int, err error)
	Stop()
	Counters() map[string]uint64
}

// Serve runs a service until SIGTERM.
func Serve(benchmark, tier string, service Service) {
	options := newOptions(benchmark)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	runtime.GOMAXPROCS(options.Int("threads")) // a thread of the contract may run Go code
	out := newOutput(tier, options.Int("threads"))
	port, mistake := service.Start(options)
	exitIf(mistake)
	out.print(event{"event": "ready", "host": options.Text("host"), "port": port})
	out.flush()
	<-terminated
	service.Stop()
	if counters := service.Counters(); counters != nil && options.Counting() {
		out.print(event{"event": "operations", "counters": counters})
	}
	out.end(0)
}
