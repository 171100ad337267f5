// Pipeline is the benchmark concurrency/pipeline (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	harness "runfair/harness/go"
)

type counters struct{ hops uint64 }

type program struct {
	seed     uint32
	stages   int
	values   int
	capacity int
	hops     *harness.Recorder
	sum      uint32
	totals   counters // of all tasks and iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = uint32(options.Seed())
	p.stages, p.values = options.Int("stages"), options.Int("values")
	p.hops = options.Recorder("hops")
	switch workload := options.Text("workload"); workload {
	case "rendezvous":
		p.capacity = 0
	case "bounded":
		p.capacity = options.Int("capacity")
	default:
		return fmt.Errorf("workload %q is none of Go's: it has no unbounded channel", workload)
	}
	return nil
}

// Prepare has nothing to do.
func (*program) Prepare() {}

// stage passes values on.
func stage(number uint32, values int, from <-chan uint32, to chan<- uint32, counts *counters) {
	for k := 0; k < values; k++ {
		x := <-from
		counts.hops++ // tick
		to <- x*1664525 + number
	}
}

// sink sums up what comes out.
func sink(values int, from <-chan uint32, counts *counters) (sum uint32) {
	for k := 0; k < values; k++ {
		sum = sum*31 + <-from
		counts.hops++ // tick
	}
	return sum
}

// Run is source and stages, each a goroutine, and the sink.
func (p *program) Run() error {
	var started time.Duration
	counted := make([]counters, p.stages+1)
	var beginning, running sync.WaitGroup
	beginning.Add(p.stages + 1) // the stages and the sink
	running.Add(p.stages + 1)   // the source and the stages
	channel := make(chan uint32, p.capacity)
	go func(to chan<- uint32) {
		defer running.Done()
		beginning.Wait()
		started = harness.Now()
		for k := 0; k < p.values; k++ {
			to <- p.seed + uint32(k)
		}
	}(channel)
	for s := 1; s <= p.stages; s++ {
		next := make(chan uint32, p.capacity)
		go func(s int, from <-chan uint32, to chan<- uint32) {
			defer running.Done()
			beginning.Done()
			stage(uint32(s), p.values, from, to, &counted[s])
		}(s, channel, next)
		channel = next
	}
	beginning.Done()
	p.sum = sink(p.values, channel, &counted[0])
	ended := harness.Now()
	running.Wait()
	p.hops.Record(int64(ended-started) * 1000 / (int64(p.values) * int64(p.stages+1)))
	for i := range counted {
		p.totals.hops += counted[i].hops
	}
	return nil
}

// Digest hashes the sum.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	hash.AddString(fmt.Sprintf("%08x\n", p.sum))
	return uint64(hash)
}

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"hops": p.totals.hops}
}

func main() {
	harness.Main("pipeline", "standard", &program{})
}
