package main

import "sync"

// statistics are what a connection counts for itself.
type statistics struct {
	commands, hits, misses, evictions, sets, chainSteps uint64
}

func (s *statistics) add(other *statistics) {
	s.commands += other.commands
	s.hits += other.hits
	s.misses += other.misses
	s.evictions += other.evictions
	s.sets += other.sets
	s.chainSteps += other.chainSteps
}

// totals are what the connections have handed over.
type totals struct {
	mutex sync.Mutex
	sum   statistics
}

// take takes what a connection has counted, which begins again; it gives the
// sum with the others.
func (t *totals) take(counted *statistics) statistics {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.sum.add(counted)
	*counted = statistics{}
	return t.sum
}
