package main

// attempt is one attempt to colour a graph with a given k: the two forms.
type attempt struct {
	steps
	colours map[uint32]uint32
}

// steps are what both forms are made of.
type steps interface {
	degreesOf(g *graph) map[uint32]int
	widest(g *graph, degrees map[uint32]int) (hub uint32, degree int)
	neighbourhood(g *graph, degrees map[uint32]int, hub uint32) *graph
	remove(g *graph, degrees map[uint32]int, hub uint32, inner *graph)
	twoColour(g *graph, first uint32) (free uint32, ok bool)
	greedy(g *graph, degrees map[uint32]int, first uint32) (free uint32)
}

// recursive colours the graph from first on and returns the first colour then
// free; not ok where k is too few.
func (a *attempt) recursive(g *graph, k int, first uint32) (free uint32, ok bool) {
	if k == 2 {
		return a.twoColour(g, first)
	}
	degrees := a.degreesOf(g)
	end := first
	for {
		hub, degree := a.widest(g, degrees)
		if !isWide(degree, len(g.vertices), k) {
			return greater(end, a.greedy(g, degrees, first)), true
		}
		inner := a.neighbourhood(g, degrees, hub)
		free, ok := a.recursive(inner, k-1, first)
		if !ok {
			return 0, false
		}
		a.colours[hub] = free
		end = free + 1
		a.remove(g, degrees, hub, inner)
		first = free // the hub has no neighbour left: its colour serves again
	}
}

// frame is a call of recursive, with its arguments and variables.
type frame struct {
	g       *graph
	k       int
	first   uint32
	end     uint32
	degrees map[uint32]int
	hub     uint32
	inner   *graph
}

// iterative does what recursive does, from a stack of its own.
func (a *attempt) iterative(g *graph, k int) (free uint32, ok bool) {
	stack := []frame{{g: g, k: k}}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.k == 2 {
			free, ok = a.twoColour(f.g, f.first)
			if !ok {
				return 0, false
			}
			stack = stack[:len(stack)-1]
			continue
		}
		if f.degrees == nil {
			f.degrees = a.degreesOf(f.g)
		} else {
			a.colours[f.hub] = free
			f.end = free + 1
			a.remove(f.g, f.degrees, f.hub, f.inner)
			f.first = free
		}
		hub, degree := a.widest(f.g, f.degrees)
		if isWide(degree, len(f.g.vertices), f.k) {
			f.hub = hub
			f.inner = a.neighbourhood(f.g, f.degrees, hub)
			stack = append(stack, frame{g: f.inner, k: f.k - 1, first: f.first, end: f.first})
		} else {
			free = greater(f.end, a.greedy(f.g, f.degrees, f.first))
			stack = stack[:len(stack)-1]
		}
	}
	return free, true
}

// isWide tells whether degree ≥ n ^ (1 − 1 / (k − 1)).
func isWide(degree, n, k int) bool {
	product := float64(degree)
	for i := 2; i < k; i++ {
		product *= float64(degree) / float64(n)
	}
	return product >= 1
}

func greater(a, b uint32) uint32 {
	if a > b {
		return a
	}
	return b
}
