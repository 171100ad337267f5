// Select is the benchmark concurrency/select (contract.md beside this folder).
package main

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"

	harness "runfair/harness/go"
)

type counters struct{ selects uint64 }

type program struct {
	seed     uint32
	channels int
	values   int
	selects  *harness.Recorder
	sum      uint32
	counts   counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = uint32(options.Seed())
	p.channels, p.values = options.Int("channels"), options.Int("values")
	p.selects = options.Recorder("selects")
	return nil
}

// Prepare has nothing to do.
func (*program) Prepare() {}

// send sends the values of channel c.
func (p *program) send(c uint32, to chan<- uint32) {
	x := p.seed + c
	for k := 0; k < p.values; k++ {
		x = x*1664525 + c
		to <- x
	}
}

// received sums up the values of all channels.
func (p *program) received(cases []reflect.SelectCase) (sum uint32) {
	left := make([]int, len(cases))
	for c := range left {
		left[c] = p.values
	}
	for len(cases) > 0 {
		chosen, value, _ := reflect.Select(cases)
		sum += uint32(value.Uint())
		p.counts.selects++ // tick
		left[chosen]--
		if left[chosen] == 0 {
			last := len(cases) - 1
			cases[chosen], left[chosen] = cases[last], left[last]
			cases = cases[:last]
		}
	}
	return sum
}

// Run starts the senders, lets them begin together and receives from them.
func (p *program) Run() error {
	gate := make(chan struct{})
	var beginning, running sync.WaitGroup
	beginning.Add(p.channels)
	running.Add(p.channels)
	cases := make([]reflect.SelectCase, p.channels)
	for c := range cases {
		channel := make(chan uint32, 1)
		cases[c] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(channel)}
		go func(c int) {
			defer running.Done()
			beginning.Done()
			<-gate
			p.send(uint32(c), channel)
		}(c)
	}
	beginning.Wait()
	started := harness.Now()
	close(gate)
	p.sum = p.received(cases)
	running.Wait()
	p.selects.Record(int64(harness.Now()-started) * 1000 / (int64(p.channels) * int64(p.values)))
	return nil
}

// Digest hashes the sum.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	hash.AddString(fmt.Sprintf("%08x\n", p.sum))
	return uint64(hash)
}

// Counters are those of all iterations.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"selects": p.counts.selects}
}

func main() {
	harness.Main("select", "standard", &program{})
}
