// Package harness is Go's half of the program contract (benchmarks/contract.md,
// version 1): options, clocks, what a program says, and the iteration loop.
//
// It uses no generics, so that gccgo 12 compiles it too.
package harness

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"
	"unsafe"
)

// Benchmark is what the contract of a benchmark fixes.
type Benchmark struct {
	Name      string
	Tier      string
	Workloads []string
	Params    []Param
	Inputs    int // how many --input files it reads
}

// Program is a benchmark's task. The harness calls Load once, then Prepare,
// Run and Digest for each iteration; only Run is timed.
//
// An error of Load, Run or Count is a fault of the input, reported to the user
// with status 2. Whatever else goes wrong panics.
type Program interface {
	Load(options *Options) error
	Prepare()
	Run() error
	Digest() uint64
	// Count does what Run does, and counts the operations of the contract.
	Count() (map[string]uint64, error)
}

// Threaded is a Program that uses more than one thread.
type Threaded interface {
	// Threads is how many threads it will really use, asked before Load.
	Threads(options *Options) int
}

// Measured is a Program with metrics of its own, asked for after each iteration.
type Measured interface {
	Metrics() map[string]Metric
}

// Sampled is a Program whose result is a distribution, asked for after each
// iteration.
type Sampled interface {
	Samples() []Sample
}

// Main carries out a program from its command line to its exit status.
func Main(benchmark Benchmark, program Program) {
	if err := execute(&benchmark, program, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", benchmark.Name, err)
		os.Exit(2)
	}
}

// execute returns what the user did wrong, nil for a program that reached its
// end.
func execute(b *Benchmark, program Program, arguments []string, stdin io.Reader, stdout io.Writer) error {
	options, err := parse(b, arguments)
	if err != nil {
		return err
	}
	stopProfile, err := profile(os.Getenv("RUNFAIR_CPU_PROFILE"))
	if err != nil {
		return err
	}
	defer stopProfile()

	out := newOutput(stdout)
	started := newStart(b, program, options)
	out.say(started)
	if err := program.Load(options); err != nil {
		return err
	}
	out.flush()

	var told <-chan struct{}
	if options.UntilTold {
		told = ended(stdin)
	}
	var index int64
	for {
		counters, err := iterate(out, program, options, index)
		if err != nil {
			return err
		}
		index++
		if options.Count {
			out.say(operations{"operations", counters})
			break
		}
		if options.Iterations > 0 && index >= options.Iterations {
			break
		}
		if options.MaxDuration >= 0 && monotonicNs()-started.MonotonicNs >= options.MaxDuration.Nanoseconds() {
			break
		}
		if isClosed(told) {
			break
		}
		out.flushIfDue()
	}
	out.say(end{"end", index})
	out.flush()
	return nil
}

// iterate does one iteration and says it. The CPU clock is read inside the
// interval of the wall clock.
func iterate(out *output, program Program, options *Options, index int64) (map[string]uint64, error) {
	var counters map[string]uint64
	var err error
	program.Prepare()
	wallNs := monotonicNs()
	cpuNs := processCPUNs()
	if options.Count {
		counters, err = program.Count()
	} else {
		err = program.Run()
	}
	cpuEndNs := processCPUNs()
	wallEndNs := monotonicNs()
	if err != nil {
		return nil, err
	}

	said := iteration{
		Event:              "iteration",
		Index:              index,
		StartedMonotonicNs: wallNs,
		WallNs:             wallEndNs - wallNs,
		CPUNs:              cpuEndNs - cpuNs,
		Digest:             fmt.Sprintf("%016x", program.Digest()),
	}
	if measured, ok := program.(Measured); ok {
		said.Metrics = measured.Metrics()
	}
	out.say(said)
	if sampled, ok := program.(Sampled); ok {
		for _, sample := range sampled.Samples() {
			out.say(sampleEvent{"sample", sample})
		}
	}
	return counters, nil
}

func newStart(b *Benchmark, program Program, options *Options) start {
	threads := 1
	if threaded, ok := program.(Threaded); ok {
		threads = threaded.Threads(options)
	}
	return start{
		Event:                "start",
		Contract:             1,
		Benchmark:            b.Name,
		Language:             "go",
		Tier:                 b.Tier,
		Workload:             options.Workload,
		Size:                 options.Size,
		Seed:                 options.Seed,
		Runtime:              runtime.Version(),
		Threads:              threads,
		Processors:           runtime.NumCPU(),
		MonotonicNs:          monotonicNs(),
		RealtimeNs:           time.Now().UnixNano(),
		CPUClockResolutionNs: cpuClockResolutionNs,
		Effective:            effective(),
	}
}

// ended closes its channel at the end of the stream. Its goroutine sleeps in
// read(2) meanwhile and holds no processor.
func ended(stream io.Reader) <-chan struct{} {
	told := make(chan struct{})
	go func() {
		defer close(told)
		// An error ends the stream as end of file does.
		_, _ = io.Copy(io.Discard, stream)
	}()
	return told
}

// isClosed is false for a nil channel.
func isClosed(told <-chan struct{}) bool {
	select {
	case <-told:
		return true
	default:
		return false
	}
}

// profile writes a pprof CPU profile of the whole life of the process, the
// training of `go build -pgo`.
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("RUNFAIR_CPU_PROFILE must name a file that can be written: %w", err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, fmt.Errorf("RUNFAIR_CPU_PROFILE: %w", err)
	}
	return func() {
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			panic(err)
		}
	}, nil
}

// monotonicNs reads CLOCK_MONOTONIC itself: package time keeps its absolute
// value, which other processes can be compared with, to itself.
func monotonicNs() int64 {
	const clockMonotonic = 1 // linux/time.h
	var now syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		panic(os.NewSyscallError("clock_gettime", errno))
	}
	return now.Nano()
}

// getrusage(2) tells microseconds; the kernel's own count is finer.
const cpuClockResolutionNs = 1000

// processCPUNs is user and system time of all threads and of reaped children.
func processCPUNs() int64 {
	var sum int64
	for _, who := range [...]int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			panic(os.NewSyscallError("getrusage", err))
		}
		sum += usage.Utime.Nano() + usage.Stime.Nano()
	}
	return sum
}
