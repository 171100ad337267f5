package main

import "slices"

// counters of the task: langbench/colouring/contract.md, "Task".
type counters struct{ attempts, subgraphs, vertices, edges, probes uint64 }

// attempt is one attempt to colour a graph with a given k, in either form.
type attempt struct {
	colours map[uint32]uint32
	counts  *counters
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
			return max(end, a.greedy(g, degrees, first)), true
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
			free = max(f.end, a.greedy(f.g, f.degrees, f.first))
			stack = stack[:len(stack)-1]
		}
	}
	return free, true
}

// isWide tells whether degree ≥ n ^ (1 − 1 / (k − 1)).
func isWide(degree, n, k int) bool {
	product := float64(degree)
	for range k - 2 {
		product *= float64(degree) / float64(n)
	}
	return product >= 1
}

func (a *attempt) degreesOf(g *graph) map[uint32]int {
	degrees := map[uint32]int{}
	for _, u := range g.vertices {
		a.counts.vertices++ // tick
		degrees[u] = len(g.neighbours[u])
	}
	return degrees
}

// widest finds the least of the vertices of the greatest degree.
func (a *attempt) widest(g *graph, degrees map[uint32]int) (hub uint32, greatest int) {
	for _, u := range g.vertices {
		a.counts.probes++ // tick
		if degree := degrees[u]; degree > greatest {
			hub, greatest = u, degree
		}
	}
	return hub, greatest
}

// neighbourhood makes the graph on N(hub), the hub itself not in it.
func (a *attempt) neighbourhood(g *graph, degrees map[uint32]int, hub uint32) *graph {
	a.counts.subgraphs++ // tick
	a.counts.vertices++  // tick
	members := set{}
	inner := &graph{neighbours: map[uint32]set{}}
	for w := range g.neighbours[hub] {
		a.counts.probes++ // tick
		if _, left := degrees[w]; left {
			members[w] = struct{}{}
			inner.vertices = append(inner.vertices, w)
		}
	}
	slices.Sort(inner.vertices)
	for _, u := range inner.vertices {
		a.counts.vertices++ // tick
		inner.neighbours[u] = a.intersection(g.neighbours[u], members)
	}
	return inner
}

func (a *attempt) intersection(less, more set) set {
	if len(less) > len(more) {
		return a.intersection(more, less)
	}
	common := set{}
	for w := range less {
		a.counts.probes++ // tick
		if _, both := more[w]; both {
			common[w] = struct{}{}
		}
	}
	return common
}

func (a *attempt) remove(g *graph, degrees map[uint32]int, hub uint32, inner *graph) {
	delete(degrees, hub)
	for _, u := range inner.vertices {
		delete(degrees, u)
	}
	for _, u := range inner.vertices {
		a.counts.vertices++ // tick
		for w := range g.neighbours[u] {
			a.counts.edges++  // tick
			a.counts.probes++ // tick
			if degree, left := degrees[w]; left {
				degrees[w] = degree - 1
			}
		}
	}
}

func (a *attempt) twoColour(g *graph, first uint32) (free uint32, ok bool) {
	end := first + 1
	for _, root := range g.vertices {
		a.counts.probes++ // tick
		if _, coloured := a.colours[root]; coloured {
			continue
		}
		a.colours[root] = first
		odd := false
		queue := []uint32{root}
		for at := 0; at < len(queue); at++ {
			a.counts.vertices++ // tick
			a.counts.probes++   // tick
			u := queue[at]
			other := 2*first + 1 - a.colours[u]
			for w := range g.neighbours[u] {
				a.counts.edges++  // tick
				a.counts.probes++ // tick
				colour, coloured := a.colours[w]
				if !coloured {
					a.colours[w] = other
					end = first + 2
					queue = append(queue, w)
				} else if colour != other {
					odd = true
				}
			}
		}
		if odd {
			return 0, false
		}
	}
	return end, true
}

// greedy gives each vertex the least colour from first on that no neighbour has.
func (a *attempt) greedy(g *graph, degrees map[uint32]int, first uint32) (free uint32) {
	end := first
	for _, u := range g.vertices {
		a.counts.probes++ // tick
		if _, left := degrees[u]; !left {
			continue
		}
		a.counts.vertices++ // tick
		taken := set{}
		for w := range g.neighbours[u] {
			a.counts.edges++  // tick
			a.counts.probes++ // tick
			if colour, coloured := a.colours[w]; coloured {
				taken[colour] = struct{}{}
			}
		}
		colour := first
		for taken.has(colour) {
			colour++
		}
		a.colours[u] = colour
		end = max(end, colour+1)
	}
	return end
}
