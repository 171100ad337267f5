// Timer-lateness is the benchmark concurrency/timer-lateness (contract.md beside this folder).
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	harness "runfair/harness/go"
)

type counters struct{ rounds, burners, yields, timers uint64 }

func (c *counters) add(other counters) {
	c.rounds += other.rounds
	c.burners += other.burners
	c.yields += other.yields
	c.timers += other.timers
}

// ticker is due every period.
type ticker struct {
	due      time.Duration
	period   time.Duration
	lateness *harness.Recorder
}

// run ticks until all burners have ended.
func (t *ticker) run(ended *int32) {
	timer := time.NewTimer(t.due - harness.Now())
	for {
		<-timer.C
		now := harness.Now()
		last := atomic.LoadInt32(ended) == 1
		for ; t.due <= now; t.due += t.period {
			t.lateness.Record(int64(now - t.due))
		}
		if last {
			return
		}
		timer.Reset(t.due - harness.Now())
	}
}

// fire records the lateness of a timer that fires once.
func fire(due time.Duration, lateness *harness.Recorder, counts *counters) {
	var now time.Duration
	for now < due {
		<-time.NewTimer(due - harness.Now()).C
		now = harness.Now()
	}
	lateness.Record(int64(now - due))
	counts.timers++ // tick
}

// draw is the exclusive or of the next numbers, as many as rounds.
func draw(random *harness.SplitMix64, rounds int, counts *counters) (x uint64) {
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
	seed        harness.SplitMix64
	burners     int
	rounds      int
	yieldRounds int // 0 if burners never yield
	timers      int // that fire once; 0 if there is a ticker
	period      time.Duration
	lateness    *harness.Recorder
	burnt       []burnt
	totals      counters // of all tasks and iterations
}

// burn is the exclusive or of a burner's numbers.
func (p *program) burn(random harness.SplitMix64, counts *counters) (x uint64) {
	counts.burners++ // tick
	left := p.rounds
	for ; p.yieldRounds > 0 && left >= p.yieldRounds; left -= p.yieldRounds {
		x ^= draw(&random, p.yieldRounds, counts)
		counts.yields++ // tick
		runtime.Gosched()
	}
	return x ^ draw(&random, left, counts)
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.burners, p.rounds = options.Int("burners"), options.Int("rounds")
	p.period = time.Duration(options.Int("period_us")) * time.Microsecond
	p.lateness = options.Recorder("lateness")
	switch options.Text("workload") {
	case "yielding":
		p.yieldRounds = options.Int("yield_rounds")
	case "one-shot":
		p.timers = options.Int("timers")
	}
	return nil
}

// Prepare makes room for what each burner leaves.
func (p *program) Prepare() {
	p.burnt = make([]burnt, p.burners)
}

// Run starts the ticker and the burners, or the burners and the timers, and waits for them.
func (p *program) Run() error {
	var ended int32 // 1 if all burners have
	var ticking, burning sync.WaitGroup
	if p.timers == 0 {
		ticker := &ticker{harness.Now() + p.period, p.period, p.lateness}
		ticking.Add(1)
		go func() {
			defer ticking.Done()
			ticker.run(&ended)
		}()
	}
	burning.Add(p.burners)
	for i := range p.burnt {
		go func(one *burnt, random harness.SplitMix64) {
			defer burning.Done()
			one.x = p.burn(random, &one.counts)
		}(&p.burnt[i], p.seed+harness.SplitMix64(i))
	}
	fired := make([]counters, p.timers)
	ticking.Add(p.timers)
	for i := range fired {
		go func(due time.Duration, counts *counters) {
			defer ticking.Done()
			fire(due, p.lateness, counts)
		}(harness.Now()+p.period, &fired[i])
	}
	burning.Wait()
	atomic.StoreInt32(&ended, 1)
	ticking.Wait()
	for _, one := range p.burnt {
		p.totals.add(one.counts)
	}
	for _, one := range fired {
		p.totals.add(one)
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

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{
		"rounds":  p.totals.rounds,
		"burners": p.totals.burners,
		"yields":  p.totals.yields,
		"timers":  p.totals.timers,
	}
}

func main() {
	harness.Main("timer-lateness", "standard", &program{})
}
