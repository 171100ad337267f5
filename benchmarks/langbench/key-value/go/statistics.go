package main

import (
	"sync"
	"sync/atomic"
)

const (
	commandCount = iota
	hitCount
	missCount
	evictionCount
	setCount
	chainStepCount
	counters
)

type counts [counters]uint64

// statistics are what a connection counts for itself: it alone writes them,
// and INFO of any connection reads them.
type statistics struct {
	counts counts
}

func (s *statistics) tick(counter int) {
	atomic.AddUint64(&s.counts[counter], 1)
}

func (s *statistics) addTo(sum *counts) {
	for i := range sum {
		sum[i] += atomic.LoadUint64(&s.counts[i])
	}
}

// totals are the statistics of all connections.
type totals struct {
	mutex sync.Mutex
	open  map[*statistics]bool
	ended counts
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
	statistics.addTo(&t.ended)
}

func (t *totals) sum() counts {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	sum := t.ended
	for statistics := range t.open {
		statistics.addTo(&sum)
	}
	return sum
}
