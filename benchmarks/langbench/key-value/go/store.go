package main

import (
	"sync"
	"sync/atomic"

	harness "runfair/harness/go"
)

// node is an entry, and the one that came into the row after it. A value is
// never changed, only replaced.
type node struct {
	key   string
	value []byte
	next  *node
}

// row is a linked list of nodes, the oldest first.
type row struct {
	mutex  sync.Mutex
	first  *node
	length int
}

// unlink gives up the node that the link leads to.
func (r *row) unlink(link **node) *node {
	gone := *link
	*link = gone.next
	r.length--
	return gone
}

// store is the table. The statistics that its methods take are those of the
// connection that asks.
type store struct {
	rows          []row
	capacityBytes int64 // 0: room for everything
	usedBytes     atomic.Int64
	counting      bool
	addresses     bool // whether INFO tells of them
}

func (s *store) get(key []byte, statistics *statistics) (value []byte, found bool) {
	row := &s.rows[s.index(key)]
	row.mutex.Lock()
	defer row.mutex.Unlock()
	if found := *s.find(row, key, statistics); found != nil {
		return found.value, true
	}
	return nil, false
}

// set is false where the value is longer than all of the room.
func (s *store) set(key, value []byte, statistics *statistics) bool {
	start := s.index(key)
	if s.capacityBytes > 0 {
		if int64(len(value)) > s.capacityBytes {
			return false
		}
		s.usedBytes.Add(int64(len(value)))
		for s.usedBytes.Load() > s.capacityBytes && s.evict(start, statistics) {
		}
	}
	old := s.replace(&s.rows[start], key, value, statistics)
	s.giveBack(old)
	return true
}

// replace is the old value, or none.
func (s *store) replace(row *row, key, value []byte, statistics *statistics) (old []byte) {
	row.mutex.Lock()
	defer row.mutex.Unlock()
	statistics.ticked.sets++ // tick
	link := s.find(row, key, statistics)
	if *link == nil {
		*link = &node{key: string(key), value: value}
		row.length++
		return nil
	}
	old, (*link).value = (*link).value, value
	return old
}

// evict lets the oldest entry of the first row go that has one, and is whether
// there was one.
func (s *store) evict(start int, statistics *statistics) bool {
	for i := range s.rows {
		if s.evictFrom(&s.rows[(start+i)%len(s.rows)], statistics) {
			statistics.evictions.Add(1)
			return true
		}
	}
	return false
}

func (s *store) evictFrom(row *row, statistics *statistics) bool {
	row.mutex.Lock()
	defer row.mutex.Unlock()
	if row.first == nil {
		return false
	}
	s.giveBack(row.unlink(&row.first).value)
	statistics.ticked.evictions++ // tick
	return true
}

// remove is whether there was such an entry.
func (s *store) remove(key []byte, statistics *statistics) bool {
	row := &s.rows[s.index(key)]
	row.mutex.Lock()
	defer row.mutex.Unlock()
	link := s.find(row, key, statistics)
	if *link == nil {
		return false
	}
	s.giveBack(row.unlink(link).value)
	return true
}

func (s *store) giveBack(value []byte) {
	if s.capacityBytes > 0 {
		s.usedBytes.Add(-int64(len(value)))
	}
}

func (s *store) clear() {
	s.each(func(row *row) {
		for at := row.first; at != nil; at = at.next {
			s.giveBack(at.value)
		}
		row.first, row.length = nil, 0
	})
}

func (s *store) entries() int {
	total := 0
	s.each(func(row *row) { total += row.length })
	return total
}

func (s *store) digest() uint64 {
	var total uint64
	s.each(func(row *row) {
		for at := row.first; at != nil; at = at.next {
			hash := harness.NewFNV1a()
			hash.AddString(at.key)
			hash.AddByte(0)
			for _, b := range at.value {
				hash.AddByte(b)
			}
			total += uint64(hash)
		}
	})
	return total
}

// each visits the rows, one locked after another.
func (s *store) each(visit func(row *row)) {
	for i := range s.rows {
		row := &s.rows[i]
		row.mutex.Lock()
		visit(row)
		row.mutex.Unlock()
	}
}

func (s *store) index(key []byte) int {
	hash := harness.NewFNV1a()
	for _, b := range key {
		hash.AddByte(b)
	}
	return int(uint64(hash) % uint64(len(s.rows)))
}

// find is what leads to the node with that key, or to where it is to be
// appended.
func (s *store) find(row *row, key []byte, statistics *statistics) **node {
	link := &row.first
	for *link != nil {
		statistics.ticked.chainSteps++ // tick
		if (*link).key == string(key) {
			break
		}
		link = &(*link).next
	}
	return link
}
