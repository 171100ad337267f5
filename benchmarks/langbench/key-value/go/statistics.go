package main

import (
	"sync"
	"sync/atomic"
)

// statistics are what a connection counts for itself: it alone writes them, and
// INFO of any connection reads them.
type statistics struct {
	commands, hits, misses, evictions atomic.Uint64

	ticked    counters // read by this connection alone
	mutex     sync.Mutex
	published counters
}

// counters of the task: langbench/key-value/contract.md, "Store".
type counters struct{ sets, gets, hits, misses, chainSteps, evictions uint64 }

// publish shows others what has been ticked.
func (s *statistics) publish() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.published = s.ticked
}

// sums are the statistics of several connections.
type sums struct {
	commands, hits, misses, evictions uint64
	counted                           counters
}

func (s *sums) add(statistics *statistics) {
	s.commands += statistics.commands.Load()
	s.hits += statistics.hits.Load()
	s.misses += statistics.misses.Load()
	s.evictions += statistics.evictions.Load()
	statistics.mutex.Lock()
	defer statistics.mutex.Unlock()
	s.counted.sets += statistics.published.sets
	s.counted.gets += statistics.published.gets
	s.counted.hits += statistics.published.hits
	s.counted.misses += statistics.published.misses
	s.counted.chainSteps += statistics.published.chainSteps
	s.counted.evictions += statistics.published.evictions
}

// totals are the statistics of all connections.
type totals struct {
	mutex sync.Mutex
	open  map[*statistics]bool
	ended sums
}

func newTotals() *totals {
	return &totals{open: map[*statistics]bool{}}
}

func (t *totals) begin(statistics *statistics) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.open[statistics] = true
}

func (t *totals) end(statistics *statistics) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	delete(t.open, statistics)
	t.ended.add(statistics)
}

func (t *totals) sum() sums {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	sum := t.ended
	for statistics := range t.open {
		sum.add(statistics)
	}
	return sum
}
