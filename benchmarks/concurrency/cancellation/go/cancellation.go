// Cancellation is the benchmark concurrency/cancellation (contract.md beside this folder).
package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	harness "runfair/harness/go"
)

type counters struct{ tasks uint64 }

// tree is what all tasks share.
type tree struct {
	beginning sync.WaitGroup
	cancelled time.Duration
	sync.Mutex
	sum    uint64
	counts counters
}

func (t *tree) add(x uint64) {
	t.Lock()
	t.sum += x
	t.counts.tasks++ // tick
	t.Unlock()
}

type program struct {
	seed    harness.SplitMix64
	degree  int
	depth   int
	tasks   int
	latency *harness.Recorder
	sum     uint64
	totals  counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.degree, p.depth = options.Int("degree"), options.Int("depth")
	p.tasks = 1
	for level := 0; level < p.depth; level++ {
		p.tasks = p.tasks*p.degree + 1
	}
	p.latency = options.Recorder("latency")
	return nil
}

// Prepare has nothing to do.
func (*program) Prepare() {}

// task is task i, which ends when the context is cancelled.
func (p *program) task(ctx context.Context, i, levels int, t *tree) {
	var children sync.WaitGroup
	if levels > 0 {
		children.Add(p.degree)
		for n := 1; n <= p.degree; n++ {
			child, cancel := context.WithCancel(ctx)
			go func(n int) {
				defer children.Done()
				defer cancel()
				p.task(child, i*p.degree+n, levels-1, t)
			}(n)
		}
	}
	t.beginning.Done()
	<-ctx.Done()
	p.latency.Record(int64(harness.Now() - t.cancelled))
	random := p.seed + harness.SplitMix64(i)
	t.add(random.Next())
	children.Wait()
}

// Run starts the tree and cancels its root.
func (p *program) Run() error {
	t := &tree{}
	t.beginning.Add(p.tasks)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		p.task(ctx, 0, p.depth, t)
		close(ended)
	}()
	t.beginning.Wait()
	t.cancelled = harness.Now()
	cancel()
	<-ended
	p.sum = t.sum
	p.totals.tasks += t.counts.tasks
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
	harness.Main("cancellation", "standard", &program{})
}
