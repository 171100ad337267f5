// The contract's table: rows of linked nodes, each row with a lock.

package main

import (
	"sync"
	"sync/atomic"

	harness "runfair/harness/go"
)

type node struct {
	key   string
	value []byte
	next  *node
}

type row struct {
	mutex sync.Mutex
	first *node
}

type store struct {
	used     int64 // atomic; the first field, so that it is aligned on every processor
	rows     []row
	capacity int64 // 0: everything has room
}

func (s *store) index(key []byte) int {
	hash := harness.NewFNV1a()
	for _, b := range key {
		hash.AddByte(b)
	}
	return int(uint64(hash) % uint64(len(s.rows)))
}

// find is the link to the node with that key, or the link at the end of the row.
func (r *row) find(key []byte, counts *counts) **node {
	link := &r.first
	for *link != nil {
		counts.chainSteps++ // tick
		if (*link).key == string(key) {
			break
		}
		link = &(*link).next
	}
	return link
}

// get is the value, and whether there is one.
func (s *store) get(key []byte, counts *counts) ([]byte, bool) {
	row := &s.rows[s.index(key)]
	row.mutex.Lock()
	defer row.mutex.Unlock()
	found := *row.find(key, counts)
	if found == nil {
		return nil, false
	}
	return found.value, true
}

// set is false if the value is longer than the capacity.
func (s *store) set(key, value []byte, counts *counts) bool {
	index := s.index(key)
	if s.capacity > 0 {
		if int64(len(value)) > s.capacity {
			return false
		}
		atomic.AddInt64(&s.used, int64(len(value)))
		for atomic.LoadInt64(&s.used) > s.capacity && s.evict(index, counts) {
		}
	}
	row := &s.rows[index]
	row.mutex.Lock()
	defer row.mutex.Unlock()
	link := row.find(key, counts)
	if *link == nil {
		*link = &node{key: string(key), value: value}
	} else {
		s.free((*link).value)
		(*link).value = value
	}
	return true
}

// evict is whether there was an entry to evict.
func (s *store) evict(start int, counts *counts) bool {
	for i := range s.rows {
		row := &s.rows[(start+i)%len(s.rows)]
		row.mutex.Lock()
		evicted := row.first != nil
		if evicted {
			s.unlink(&row.first)
			counts.evictions++
		}
		row.mutex.Unlock()
		if evicted {
			return true
		}
	}
	return false
}

// remove is whether there was such an entry.
func (s *store) remove(key []byte, counts *counts) bool {
	row := &s.rows[s.index(key)]
	row.mutex.Lock()
	defer row.mutex.Unlock()
	link := row.find(key, counts)
	if *link == nil {
		return false
	}
	s.unlink(link)
	return true
}

func (s *store) unlink(link **node) {
	s.free((*link).value)
	*link = (*link).next
}

func (s *store) free(value []byte) {
	if s.capacity > 0 {
		atomic.AddInt64(&s.used, -int64(len(value)))
	}
}

func (s *store) clear() {
	for i := range s.rows {
		row := &s.rows[i]
		row.mutex.Lock()
		for row.first != nil {
			s.unlink(&row.first)
		}
		row.mutex.Unlock()
	}
}

// each visits all nodes.
func (s *store) each(visit func(*node)) {
	for i := range s.rows {
		row := &s.rows[i]
		row.mutex.Lock()
		for at := row.first; at != nil; at = at.next {
			visit(at)
		}
		row.mutex.Unlock()
	}
}

func (s *store) entries() int {
	entries := 0
	s.each(func(*node) { entries++ })
	return entries
}

func (s *store) digest() uint64 {
	var sum uint64
	s.each(func(node *node) {
		hash := harness.NewFNV1a()
		hash.AddString(node.key)
		hash.AddByte(0)
		for _, b := range node.value {
			hash.AddByte(b)
		}
		sum += uint64(hash)
	})
	return sum
}
