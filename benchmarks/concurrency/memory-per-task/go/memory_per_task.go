// Memory-per-task is the benchmark concurrency/memory-per-task (contract.md beside this folder).
package main

import (
	"bytes"
	"fmt"
	"io/ioutil"
	"runtime"
	"sync"

	harness "runfair/harness/go"
)

type counters struct{ tasks uint64 }

// sum is what the tasks add to, one after the other.
type sum struct {
	sync.Mutex
	x      uint64
	counts counters
}

func (s *sum) add(x uint64) {
	s.Lock()
	s.x += x
	s.counts.tasks++ // tick
	s.Unlock()
}

type program struct {
	seed  harness.SplitMix64
	tasks int
	bytes *harness.Recorder
	sum   *sum
	total counters // of all iterations
}

// Threads is how many may run goroutines at the same time.
func (*program) Threads(harness.Options) int { return runtime.GOMAXPROCS(0) }

// Load reads the options.
func (p *program) Load(options harness.Options) error {
	p.seed = options.Seed()
	p.tasks = options.Int("tasks")
	p.bytes = options.Recorder("bytes")
	return nil
}

// Prepare forgets the sum.
func (p *program) Prepare() { p.sum = &sum{} }

// Run starts the tasks and looks at the memory while they wait.
func (p *program) Run() error {
	gate := make(chan struct{})
	var beginning, running sync.WaitGroup
	beginning.Add(p.tasks)
	running.Add(p.tasks)
	before := residentBytes()
	for i := 0; i < p.tasks; i++ {
		go func(random harness.SplitMix64) {
			defer running.Done()
			x := random.Next()
			beginning.Done()
			<-gate
			p.sum.add(x)
		}(p.seed + harness.SplitMix64(i))
	}
	beginning.Wait()
	after := residentBytes()
	close(gate)
	running.Wait()
	p.bytes.Record((after - before) / int64(p.tasks))
	p.total.tasks += p.sum.counts.tasks
	return nil
}

// residentBytes is the memory of the process that is in RAM.
func residentBytes() int64 {
	const path, name = "/proc/self/smaps_rollup", "\nRss:"
	content, err := ioutil.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var kibibytes int64
	if _, err = fmt.Sscanf(string(content[bytes.Index(content, []byte(name))+len(name):]), "%d", &kibibytes); err != nil {
		panic(err)
	}
	return kibibytes * 1024
}

// Digest hashes the sum.
func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	hash.AddString(fmt.Sprintf("%016x\n", p.sum.x))
	return uint64(hash)
}

// Counters are those of all tasks.
func (p *program) Counters() map[string]uint64 {
	return map[string]uint64{"tasks": p.total.tasks}
}

func main() {
	harness.Main("memory-per-task", "standard", &program{})
}
