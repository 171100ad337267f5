package main

import (
	"testing"

	harness "runfair/harness/go"
)

// drawn is a graph of n vertices, each pair an edge once in so many times.
func drawn(seed uint64, n uint32, once uint64) *graph {
	random := harness.SplitMix64(seed)
	g := &graph{neighbours: map[uint32]set{}}
	g.join(7, 7*n) // at least one edge
	for u := uint32(1); u <= n; u++ {
		for v := uint32(1); v < u; v++ {
			if random.Bounded(once) == 0 {
				g.join(7*u, 7*v)
			}
		}
	}
	g.list()
	return g
}

func TestFormsAgree(t *testing.T) {
	for seed := range uint64(20) {
		g := drawn(seed, 40, 1+seed/2)
		iterative, recursive := colouring{graph: *g}, colouring{graph: *g, recursive: true}
		for _, p := range []*colouring{&iterative, &recursive} {
			if err := p.Run(); err != nil {
				t.Fatal(err)
			}
		}
		if iterative.Digest() != recursive.Digest() || iterative.counts != recursive.counts {
			t.Errorf("seed %d: %+v and %+v", seed, iterative, recursive)
		}
	}
}

func TestImproperColouringIsNoAnswer(t *testing.T) {
	g := &graph{neighbours: map[uint32]set{}}
	g.join(1, 2)
	g.list()
	for _, colours := range []map[uint32]uint32{{1: 0, 2: 0}, {1: 0, 2: 2}, {1: 0}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v passes for a colouring", colours)
				}
			}()
			p := colouring{graph: *g, colours: colours, end: 2}
			p.Digest()
		}()
	}
}

func TestWideFromTheRootOn(t *testing.T) {
	for _, c := range []struct {
		degree, n, k int
		want         bool
	}{{9, 100, 3, false}, {10, 100, 3, true}, {21, 100, 4, false}, {22, 100, 4, true}, {0, 1, 3, false}} {
		if got := isWide(c.degree, c.n, c.k); got != c.want {
			t.Errorf("degree %d of %d vertices, k = %d: %v", c.degree, c.n, c.k, got)
		}
	}
}
