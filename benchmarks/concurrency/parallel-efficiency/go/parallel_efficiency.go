// Parallel-efficiency is the benchmark concurrency/parallel-efficiency (contract.md beside this
// folder).
package main

import (
	"fmt"
	"runtime"
	"sync"

	harness "runfair/harness/go"
)

type counters struct{ rounds, tasks uint64 }

// compute is the exclusive or of the first numbers, as many as rounds.
func compute(random harness.SplitMix64, rounds int, counts *counters) (x uint64) {
	counts.tasks++ // tick
	for round := 0; round < rounds; round++ {
		counts.rounds++ // tick
		x ^= random.Next()
	}
	return x
}

// computed is what a task leaves.
type computed struct {
	x      uint64
	counts counters
}

type program struct {
	seed   harness.SplitMix64
	rounds int
	tasks  []computed
	totals counters // of all tasks and iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.rounds = options.Int("rounds")
	p.tasks = make([]computed, options.Int("tasks"))
	return nil
}

// Prepare forgets what the tasks left.
func (p *program) Prepare() {
	for i := range p.tasks {
		p.tasks[i] = computed{}
	}
}

// Run starts a goroutine for each task and waits for all of them.
func (p *program) Run() error {
	var running sync.WaitGroup
	running.Add(len(p.tasks))
	for i := range p.tasks {
		go func(task *computed, random harness.SplitMix64) {
			defer running.Done()
			task.x = compute(random, p.rounds, &task.counts)
		}(&p.tasks[i], p.seed+harness.SplitMix64(i))
	}
	running.Wait()
	for i := range p.tasks {
		p.totals.rounds += p.tasks[i].counts.rounds
		p.totals.tasks += p.tasks[i].counts.tasks
	}
	return nil
}

// Digest hashes what each task computed, a line each.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	for i := range p.tasks {
		hash.AddString(fmt.Sprintf("%016x\n", p.tasks[i].x))
	}
	return uint64(hash)
}

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"rounds": p.totals.rounds, "tasks": p.totals.tasks}
}

func main() {
	harness.Main("parallel-efficiency", "standard", &program{})
}
