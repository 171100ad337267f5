package main

import (
	"cmp"
	"runtime"
	"slices"
	"unsafe"
)

// distance is one between neighbours, and how many pairs of them have it.
type distance struct {
	bytes uint64
	pairs int
}

// locality is how far apart the nodes of a row lie.
type locality struct {
	pairs        int
	medianBytes  uint64
	different    int
	frequent     distance
	nextFrequent distance
}

func newLocality(distances []uint64) locality {
	if len(distances) == 0 {
		return locality{}
	}
	slices.Sort(distances)
	var each []distance
	for _, bytes := range distances {
		if len(each) == 0 || each[len(each)-1].bytes != bytes {
			each = append(each, distance{bytes: bytes})
		}
		each[len(each)-1].pairs++
	}
	told := locality{
		pairs:       len(distances),
		medianBytes: distances[(len(distances)-1)/2],
		different:   len(each),
	}
	slices.SortStableFunc(each, func(a, b distance) int { return cmp.Compare(b.pairs, a.pairs) })
	told.frequent = each[0]
	if len(each) > 1 {
		told.nextFrequent = each[1]
	}
	return told
}

// collections is how often the runtime has collected.
func collections() uint32 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.NumGC
}

// distances are those between the addresses of neighbours.
func (s *store) distances() []uint64 {
	var all []uint64
	s.each(func(row *row) {
		for at := row.first; at != nil && at.next != nil; at = at.next {
			here, there := uintptr(unsafe.Pointer(at)), uintptr(unsafe.Pointer(at.next))
			if here > there {
				here, there = there, here
			}
			all = append(all, uint64(there-here))
		}
	})
	return all
}
