// Fairness is the benchmark concurrency/fairness (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	harness "runfair/harness/go"
)

type counters struct{ tasks, turns uint64 }

// share is what a task has done.
type share struct {
	sum    uint64
	turns  uint64
	counts counters
	_      [32]byte // a cache line each
}

type program struct {
	seed   harness.SplitMix64
	tasks  int
	turns  uint64
	turn   time.Duration
	index  *harness.Recorder
	supply uint64
	shares []share
	totals counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.tasks, p.turns = options.Int("tasks"), uint64(options.Int("turns"))
	p.turn = time.Duration(options.Int("turn_us")) * time.Microsecond
	p.index = options.Recorder("index")
	return nil
}

// Prepare fills the supply and forgets what was done.
func (p *program) Prepare() {
	p.supply, p.shares = 0, make([]share, p.tasks)
}

// spin takes turns until there is none left.
func (p *program) spin(i int, own *share) {
	random := p.seed + harness.SplitMix64(i)
	own.sum = random.Next()
	own.counts.tasks++ // tick
	for k := atomic.AddUint64(&p.supply, 1) - 1; k < p.turns; k = atomic.AddUint64(&p.supply, 1) - 1 {
		began := harness.Now()
		turn := p.seed + harness.SplitMix64(p.tasks) + harness.SplitMix64(k)
		y := turn.Next()
		own.counts.turns++ // tick
		for harness.Now()-began < p.turn {
		}
		own.sum += y
		own.turns++
	}
}

// Run has the tasks take all turns.
func (p *program) Run() error {
	gate := make(chan struct{})
	var beginning, running sync.WaitGroup
	beginning.Add(p.tasks)
	running.Add(p.tasks)
	for i := range p.shares {
		go func(i int) {
			defer running.Done()
			beginning.Done()
			<-gate
			p.spin(i, &p.shares[i])
		}(i)
	}
	beginning.Wait()
	close(gate)
	running.Wait()
	p.index.Record(jain(p.shares))
	for i := range p.shares {
		p.totals.tasks += p.shares[i].counts.tasks
		p.totals.turns += p.shares[i].counts.turns
	}
	return nil
}

// jain is Jain's index of the turns, in thousandths.
func jain(shares []share) int64 {
	var sum, squares float64
	for i := range shares {
		turns := float64(shares[i].turns)
		sum += turns
		squares += turns * turns
	}
	return int64(1000 * sum * sum / (float64(len(shares)) * squares))
}

// Digest hashes the sum of what the tasks added up.
func (p *program) Digest() uint64 {
	var sum uint64
	for i := range p.shares {
		sum += p.shares[i].sum
	}
	hash := harness.NewFNV1a()
	hash.AddString(fmt.Sprintf("%016x\n", sum))
	return uint64(hash)
}

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"tasks": p.totals.tasks, "turns": p.totals.turns}
}

func main() {
	harness.Main("fairness", "standard", &program{})
}
