// Timer-lateness is the benchmark concurrency/timer-lateness (contract.md beside this folder).
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	harness "runfair/harness/go"
)

const maxThreads = 100001 // the ticker's and the burners'

type counters struct{ rounds, burners uint64 }

// ticker is due every period.
type ticker struct {
	due      time.Time
	period   time.Duration
	lateness *harness.Recorder
}

// run ticks until all burners have ended.
func (t *ticker) run(ended *int32) {
	timer := time.NewTimer(t.due.Sub(time.Now()))
	for {
		<-timer.C
		now := time.Now()
		last := atomic.LoadInt32(ended) == 1
		for !t.due.After(now) {
			t.lateness.Record(int64(now.Sub(t.due)))
			t.due = t.due.Add(t.period)
		}
		if last {
			return
		}
		timer.Reset(t.due.Sub(time.Now()))
	}
}

// burn is the exclusive or of the first numbers, as many as rounds.
func burn(random harness.SplitMix64, rounds int, counts *counters) (x uint64) {
	counts.burners++ // tick
	for round := 0; round < rounds; round++ {
		counts.rounds++ // tick
		x ^= random.Next()
	}
	return x
}

// burnt is what a burner leaves.
type burnt struct {
	x      uint64
	counts counters
}

type program struct {
	seed     harness.SplitMix64
	burners  int
	rounds   int
	period   time.Duration
	lateness *harness.Recorder
	burnt    []burnt
	totals   counters // of all burners and iterations
}

// Threads is as many as it may use: a goroutine runs on any.
func (*program) Threads(options harness.Options) int {
	if threads := options.Int("threads"); threads < maxThreads {
		return threads
	}
	return maxThreads
}

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.burners, p.rounds = options.Int("burners"), options.Int("rounds")
	p.period = time.Duration(options.Int("period_us")) * time.Microsecond
	p.lateness = options.Recorder("lateness")
	return nil
}

// Prepare makes room for what each burner leaves.
func (p *program) Prepare() {
	p.burnt = make([]burnt, p.burners)
}

// Run starts the ticker and the burners, and waits for them.
func (p *program) Run() error {
	ticker := &ticker{time.Now().Add(p.period), p.period, p.lateness}
	var ended int32 // 1 if all burners have
	var ticking, burning sync.WaitGroup
	ticking.Add(1)
	go func() {
		defer ticking.Done()
		ticker.run(&ended)
	}()
	burning.Add(p.burners)
	for i := range p.burnt {
		go func(one *burnt, random harness.SplitMix64) {
			defer burning.Done()
			one.x = burn(random, p.rounds, &one.counts)
		}(&p.burnt[i], p.seed+harness.SplitMix64(i))
	}
	burning.Wait()
	atomic.StoreInt32(&ended, 1)
	ticking.Wait()
	for _, one := range p.burnt {
		p.totals.rounds += one.counts.rounds
		p.totals.burners += one.counts.burners
	}
	return nil
}

// Digest hashes what each burner computed, a line each.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	for _, one := range p.burnt {
		hash.AddString(fmt.Sprintf("%016x\n", one.x))
	}
	return uint64(hash)
}

// Counters are those of all burners.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"rounds": p.totals.rounds, "burners": p.totals.burners}
}

func main() {
	harness.Main("timer-lateness", "standard", &program{})
}
