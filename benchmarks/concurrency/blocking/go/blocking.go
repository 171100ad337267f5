// Blocking is the benchmark concurrency/blocking (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"time"

	harness "runfair/harness/go"
)

type counters struct{ calls uint64 }

// sum is what the tasks add to, one after the other.
type sum struct {
	sync.Mutex
	x      uint64
	counts counters
}

func (s *sum) add(x uint64) {
	s.Lock()
	s.x += x
	s.counts.calls++ // tick
	s.Unlock()
}

type program struct {
	seed     harness.SplitMix64
	tasks    int
	pause    time.Duration
	lateness *harness.Recorder
	sum      *sum
	total    counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.tasks = options.Int("tasks")
	p.pause = time.Duration(options.Int("pause_ms")) * time.Millisecond
	p.lateness = options.Recorder("lateness")
	return nil
}

// Prepare forgets the sum.
func (p *program) Prepare() { p.sum = &sum{} }

// block blocks the thread.
func block(pause time.Duration) {
	left := syscall.NsecToTimespec(int64(pause))
	// The runtime's own signals interrupt it.
	for syscall.Nanosleep(&left, &left) == syscall.EINTR {
	}
}

// Run starts the tasks and waits for them.
func (p *program) Run() error {
	started := harness.Now()
	var running sync.WaitGroup
	running.Add(p.tasks)
	for i := 0; i < p.tasks; i++ {
		go func(random harness.SplitMix64) {
			defer running.Done()
			block(p.pause)
			p.lateness.Record(int64(harness.Now() - started - p.pause))
			p.sum.add(random.Next())
		}(p.seed + harness.SplitMix64(i))
	}
	running.Wait()
	p.total.calls += p.sum.counts.calls
	return nil
}

// Digest hashes the sum.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	hash.AddString(fmt.Sprintf("%016x\n", p.sum.x))
	return uint64(hash)
}

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"calls": p.total.calls}
}

func main() {
	harness.Main("blocking", "standard", &program{})
}
