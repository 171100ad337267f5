// Fan-out is the benchmark concurrency/fan-out (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"

	harness "runfair/harness/go"
)

type counters struct{ tasks uint64 }

// subtree is what a task leaves: its sum, and what was counted below it.
type subtree struct {
	sum    uint64
	counts counters
}

type program struct {
	seed     harness.SplitMix64
	degree   int
	depth    int
	tasks    int64
	recorder *harness.Recorder
	sum      uint64
	totals   counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.degree, p.depth = options.Int("degree"), options.Int("depth")
	p.tasks = 1
	for level := 0; level < p.depth; level++ {
		p.tasks = p.tasks*int64(p.degree) + 1
	}
	p.recorder = options.Recorder("tasks")
	return nil
}

// Prepare has nothing to do.
func (*program) Prepare() {}

// grow is task i.
func (p *program) grow(i, levels int, tree *subtree) {
	random := p.seed + harness.SplitMix64(i)
	tree.sum = random.Next()
	tree.counts.tasks++ // tick
	if levels == 0 {
		return
	}
	children := make([]subtree, p.degree)
	var running sync.WaitGroup
	running.Add(p.degree)
	for n := range children {
		go func(n int) {
			defer running.Done()
			p.grow(i*p.degree+1+n, levels-1, &children[n])
		}(n)
	}
	running.Wait()
	for n := range children {
		tree.sum += children[n].sum
		tree.counts.tasks += children[n].counts.tasks
	}
}

// Run grows the tree.
func (p *program) Run() error {
	started := harness.Now()
	var tree subtree
	ended := make(chan struct{})
	go func() {
		p.grow(0, p.depth, &tree)
		close(ended)
	}()
	<-ended
	p.recorder.Record(int64(harness.Now()-started) * 1000 / p.tasks)
	p.sum = tree.sum
	p.totals.tasks += tree.counts.tasks
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
	return map[string]uint64{"tasks": p.totals.tasks}
}

func main() {
	harness.Main("fan-out", "standard", &program{})
}
