// Spawn-or-worker is the benchmark concurrency/spawn-or-worker (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"

	harness "runfair/harness/go"
)

const end = -1 // of what is sent to a worker

type counters struct{ rounds, tasks uint64 }

// compute is the seed and the first numbers of the generator, by exclusive or.
func compute(random harness.SplitMix64, rounds int, counts *counters) uint64 {
	counts.tasks++ // tick
	x := uint64(random)
	for round := 0; round < rounds; round++ {
		counts.rounds++ // tick
		x ^= random.Next()
	}
	return x
}

// piece is what was done of one piece of work.
type piece struct {
	x      uint64
	counts counters
}

type program struct {
	seed    harness.SplitMix64
	rounds  int
	atOnce  int // goroutines that are started, or pieces that the channel holds
	workers int
	way     func()
	tasks   *harness.Recorder
	pieces  []piece
	totals  counters // of all pieces and iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.rounds = options.Int("rounds")
	p.workers = options.Int("threads")
	p.atOnce = options.Int("at_once")
	p.tasks = options.Recorder("tasks")
	p.pieces = make([]piece, options.Int("tasks"))
	p.way = p.spawn
	if options.Text("workload") == "worker" {
		p.way = p.work
	}
	return nil
}

// Prepare forgets what was done.
func (p *program) Prepare() {
	for i := range p.pieces {
		p.pieces[i] = piece{}
	}
}

// do does a piece.
func (p *program) do(i int) {
	p.pieces[i].x = compute(p.seed+harness.SplitMix64(i), p.rounds, &p.pieces[i].counts)
}

// spawn starts a goroutine for each piece.
func (p *program) spawn() {
	for first := 0; first < len(p.pieces); first += p.atOnce {
		var running sync.WaitGroup
		for i := first; i < first+p.atOnce && i < len(p.pieces); i++ {
			running.Add(1)
			go func(i int) {
				defer running.Done()
				p.do(i)
			}(i)
		}
		running.Wait()
	}
}

// work sends each piece to one of the workers.
func (p *program) work() {
	var running sync.WaitGroup
	running.Add(p.workers)
	channel := make(chan int, p.atOnce)
	for worker := 0; worker < p.workers; worker++ {
		go func() {
			defer running.Done()
			for i := <-channel; i != end; i = <-channel {
				p.do(i)
			}
		}()
	}
	for i := range p.pieces {
		channel <- i
	}
	for worker := 0; worker < p.workers; worker++ {
		channel <- end
	}
	running.Wait()
}

// Run has all pieces done in the way that is asked.
func (p *program) Run() error {
	started := harness.Now()
	p.way()
	p.tasks.Record(int64(harness.Now()-started) * 1000 / int64(len(p.pieces)))
	for i := range p.pieces {
		p.totals.rounds += p.pieces[i].counts.rounds
		p.totals.tasks += p.pieces[i].counts.tasks
	}
	return nil
}

// Digest hashes the pieces, a line each.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	for i := range p.pieces {
		hash.AddString(fmt.Sprintf("%016x\n", p.pieces[i].x))
	}
	return uint64(hash)
}

// Counters are those of all pieces.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"rounds": p.totals.rounds, "tasks": p.totals.tasks}
}

func main() {
	harness.Main("spawn-or-worker", "standard", &program{})
}
