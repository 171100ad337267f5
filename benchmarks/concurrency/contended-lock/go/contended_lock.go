// Contended-lock is the benchmark concurrency/contended-lock (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"

	harness "runfair/harness/go"
)

type counters struct{ locks uint64 }

// shared is what the lock protects, with the lock.
type shared struct {
	sync.Mutex
	random harness.SplitMix64
	sum    uint64
	counts counters
}

type program struct {
	seed   harness.SplitMix64
	tasks  int
	rounds int
	held   bool
	wait   *harness.Recorder
	locks  *harness.Recorder
	sum    uint64
	totals counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.tasks, p.rounds = options.Int("tasks"), options.Int("rounds")
	p.held = options.Text("workload") == "held"
	p.wait, p.locks = options.Recorder("wait"), options.Recorder("locks")
	return nil
}

// Prepare has nothing to do.
func (*program) Prepare() {}

// task takes the lock, round after round.
func (p *program) task(own harness.SplitMix64, s *shared) {
	for round := 0; round < p.rounds; round++ {
		asked := harness.Now()
		s.Lock()
		waited := harness.Now() - asked
		s.sum += s.random.Next() + own.Next()
		s.counts.locks++ // tick
		if p.held {
			runtime.Gosched()
		}
		s.Unlock()
		p.wait.Record(int64(waited))
	}
}

// Run starts the tasks, lets them begin together and waits for them.
func (p *program) Run() error {
	s := &shared{random: p.seed}
	gate := make(chan struct{})
	var beginning, running sync.WaitGroup
	beginning.Add(p.tasks)
	running.Add(p.tasks)
	for i := 0; i < p.tasks; i++ {
		go func(own harness.SplitMix64) {
			defer running.Done()
			beginning.Done()
			<-gate
			p.task(own, s)
		}(p.seed + 1 + harness.SplitMix64(i))
	}
	beginning.Wait()
	started := harness.Now()
	close(gate)
	running.Wait()
	p.locks.Record(int64(harness.Now()-started) * 1000 / (int64(p.tasks) * int64(p.rounds)))
	p.sum = s.sum
	p.totals.locks += s.counts.locks
	return nil
}

// Digest hashes the sum.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	hash.AddString(fmt.Sprintf("%016x\n", p.sum))
	return uint64(hash)
}

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"locks": p.totals.locks}
}

func main() {
	harness.Main("contended-lock", "standard", &program{})
}
