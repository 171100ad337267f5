// Savina is the benchmark actors/savina (contract.md beside this folder). An actor is a goroutine,
// and its mailbox is a channel.
package main

import (
	"fmt"
	"runtime"
	"strconv"

	harness "runfair/harness/go"
)

// room is the number of messages that a mailbox holds.
const room = 64

type counters struct{ messages uint64 }

// work is what the options ask for.
type work struct{ seed, actors, amount int }

// forms has the function of each form, which starts the actors of one iteration.
var forms = map[string]func(work, *stage){
	"counting":             counting,
	"fork-join-creation":   forkJoinCreation,
	"fork-join-throughput": forkJoinThroughput,
	"ping-pong":            pingPong,
	"thread-ring":          threadRing,
}

// next is the contract's function.
func next(x int) int { return (x*1309 + 13849) & 0xffff }

type program struct {
	work   work
	start  func(work, *stage)
	sum    int
	totals counters // of all actors and iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.work = work{int(options.Seed() & 0xffff), options.Int("actors"), options.Int("amount")}
	form := options.Text("form")
	if p.start = forms[form]; p.start == nil {
		return fmt.Errorf("form %q is none of Go's", form)
	}
	return nil
}

// Prepare has nothing to do.
func (*program) Prepare() {}

// Run starts the actors and waits for their ends.
func (p *program) Run() error {
	s := &stage{main: make(chan end, room)}
	p.start(p.work, s)
	p.sum = 0
	for i := 0; i < s.actors; i++ {
		ended := <-s.main
		p.sum += ended.result
		p.totals.messages += ended.counted.messages
	}
	return nil
}

// Digest hashes the sum of the results.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	hash.AddString(strconv.Itoa(p.sum))
	return uint64(hash)
}

// Counters are those of all actors.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"messages": p.totals.messages}
}

func main() {
	harness.Main("savina", "standard", &program{})
}
