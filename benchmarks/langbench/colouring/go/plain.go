package main

// plain is the steps of timed iterations.
type plain struct {
	colours map[uint32]uint32
}

func (p *plain) degreesOf(g *graph) map[uint32]int {
	degrees := map[uint32]int{}
	for _, u := range g.vertices {
		degrees[u] = len(g.neighbours[u])
	}
	return degrees
}

// widest finds the least of the vertices of the greatest degree.
func (p *plain) widest(g *graph, degrees map[uint32]int) (hub uint32, greatest int) {
	for _, u := range g.vertices {
		if degree := degrees[u]; degree > greatest {
			hub, greatest = u, degree
		}
	}
	return hub, greatest
}

// neighbourhood makes the graph on N(hub), the hub itself not in it.
func (p *plain) neighbourhood(g *graph, degrees map[uint32]int, hub uint32) *graph {
	members := set{}
	inner := &graph{neighbours: map[uint32]set{}}
	for w := range g.neighbours[hub] {
		if _, left := degrees[w]; left {
			members[w] = struct{}{}
			inner.vertices = append(inner.vertices, w)
		}
	}
	ascend(inner.vertices)
	for _, u := range inner.vertices {
		inner.neighbours[u] = intersection(g.neighbours[u], members)
	}
	return inner
}

func intersection(a, b set) set {
	if len(a) > len(b) {
		return intersection(b, a)
	}
	common := set{}
	for w := range a {
		if _, both := b[w]; both {
			common[w] = struct{}{}
		}
	}
	return common
}

func (p *plain) remove(g *graph, degrees map[uint32]int, hub uint32, inner *graph) {
	delete(degrees, hub)
	for _, u := range inner.vertices {
		delete(degrees, u)
	}
	for _, u := range inner.vertices {
		for w := range g.neighbours[u] {
			if degree, left := degrees[w]; left {
				degrees[w] = degree - 1
			}
		}
	}
}

func (p *plain) twoColour(g *graph, first uint32) (free uint32, ok bool) {
	end := first + 1
	for _, root := range g.vertices {
		if _, coloured := p.colours[root]; coloured {
			continue
		}
		p.colours[root] = first
		odd := false
		queue := []uint32{root}
		for at := 0; at < len(queue); at++ {
			u := queue[at]
			other := 2*first + 1 - p.colours[u]
			for w := range g.neighbours[u] {
				colour, coloured := p.colours[w]
				if !coloured {
					p.colours[w] = other
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

// greedy gives one vertex after the other the least colour from first on that
// no neighbour has.
func (p *plain) greedy(g *graph, degrees map[uint32]int, first uint32) (free uint32) {
	end := first
	for _, u := range g.vertices {
		if _, left := degrees[u]; !left {
			continue
		}
		taken := map[uint32]struct{}{}
		for w := range g.neighbours[u] {
			if colour, coloured := p.colours[w]; coloured {
				taken[colour] = struct{}{}
			}
		}
		colour := first
		for contains(taken, colour) {
			colour++
		}
		p.colours[u] = colour
		end = greater(end, colour+1)
	}
	return end
}

func contains(colours map[uint32]struct{}, colour uint32) bool {
	_, there := colours[colour]
	return there
}
