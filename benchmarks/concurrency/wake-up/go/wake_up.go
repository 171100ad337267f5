// Wake-up is the benchmark concurrency/wake-up (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	harness "runfair/harness/go"
)

type counters struct{ wakes uint64 }

// ring is the tasks' channels, and what belongs to the task that was woken last.
type ring struct {
	bells []chan struct{}
	x     uint32
	since time.Duration
}

func (r *ring) wake(task int) {
	r.since = harness.Now()
	r.bells[task] <- struct{}{}
}

type program struct {
	seed    uint32
	tasks   int
	rounds  int
	latency *harness.Recorder
	x       uint32
	counts  counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = uint32(options.Seed())
	p.tasks, p.rounds = options.Int("tasks"), options.Int("rounds")
	p.latency = options.Recorder("latency")
	return nil
}

// Prepare has nothing to do.
func (*program) Prepare() {}

// task waits, computes and wakes the next, round after round.
func (p *program) task(i int, r *ring, counts *counters) {
	for round := 0; round < p.rounds; round++ {
		<-r.bells[i]
		p.latency.Record(int64(harness.Now() - r.since))
		counts.wakes++ // tick
		r.x = r.x*1664525 + uint32(i)
		if i+1 < p.tasks || round+1 < p.rounds {
			r.wake((i + 1) % p.tasks)
		}
	}
}

// Run starts the tasks, wakes the first when all have begun, and waits for all.
func (p *program) Run() error {
	r := &ring{bells: make([]chan struct{}, p.tasks), x: p.seed}
	for i := range r.bells {
		r.bells[i] = make(chan struct{}, 1)
	}
	var beginning, running sync.WaitGroup
	beginning.Add(p.tasks)
	running.Add(p.tasks)
	for i := 0; i < p.tasks; i++ {
		go func(i int) {
			defer running.Done()
			beginning.Done()
			p.task(i, r, &p.counts)
		}(i)
	}
	beginning.Wait()
	r.wake(0)
	running.Wait()
	p.x = r.x
	return nil
}

// Digest hashes the last x.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	hash.AddString(fmt.Sprintf("%08x\n", p.x))
	return uint64(hash)
}

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"wakes": p.counts.wakes}
}

func main() {
	harness.Main("wake-up", "standard", &program{})
}
