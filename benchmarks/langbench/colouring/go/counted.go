package main

// counted is the steps of plain.go, line by line, with counters.
type counted struct {
	colours map[uint32]uint32
	*counters
}

type counters struct {
	attempts, subgraphs, vertices, edges, probes uint64
}

func (c *counted) degreesOf(g *graph) map[uint32]int {
	degrees := map[uint32]int{}
	for _, u := range g.vertices {
		c.vertices++
		degrees[u] = len(g.neighbours[u])
	}
	return degrees
}

func (c *counted) widest(g *graph, degrees map[uint32]int) (hub uint32, greatest int) {
	for _, u := range g.vertices {
		c.probes++
		if degree := degrees[u]; degree > greatest {
			hub, greatest = u, degree
		}
	}
	return hub, greatest
}

func (c *counted) neighbourhood(g *graph, degrees map[uint32]int, hub uint32) *graph {
	c.subgraphs++
	c.vertices++
	members := set{}
	inner := &graph{neighbours: map[uint32]set{}}
	for w := range g.neighbours[hub] {
		c.probes++
		if _, left := degrees[w]; left {
			members[w] = struct{}{}
			inner.vertices = append(inner.vertices, w)
		}
	}
	ascend(inner.vertices)
	for _, u := range inner.vertices {
		c.vertices++
		inner.neighbours[u] = c.intersection(g.neighbours[u], members)
	}
	return inner
}

func (c *counted) intersection(a, b set) set {
	if len(a) > len(b) {
		return c.intersection(b, a)
	}
	common := set{}
	for w := range a {
		c.probes++
		if _, both := b[w]; both {
			common[w] = struct{}{}
		}
	}
	return common
}

func (c *counted) remove(g *graph, degrees map[uint32]int, hub uint32, inner *graph) {
	delete(degrees, hub)
	for _, u := range inner.vertices {
		delete(degrees, u)
	}
	for _, u := range inner.vertices {
		c.vertices++
		for w := range g.neighbours[u] {
			c.edges++
			c.probes++
			if degree, left := degrees[w]; left {
				degrees[w] = degree - 1
			}
		}
	}
}

func (c *counted) twoColour(g *graph, first uint32) (free uint32, ok bool) {
	end := first + 1
	for _, root := range g.vertices {
		c.probes++
		if _, coloured := c.colours[root]; coloured {
			continue
		}
		c.colours[root] = first
		odd := false
		queue := []uint32{root}
		for at := 0; at < len(queue); at++ {
			c.vertices++
			c.probes++
			u := queue[at]
			other := 2*first + 1 - c.colours[u]
			for w := range g.neighbours[u] {
				c.edges++
				c.probes++
				colour, coloured := c.colours[w]
				if !coloured {
					c.colours[w] = other
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

func (c *counted) greedy(g *graph, degrees map[uint32]int, first uint32) (free uint32) {
	end := first
	for _, u := range g.vertices {
		c.probes++
		if _, left := degrees[u]; !left {
			continue
		}
		c.vertices++
		taken := map[uint32]struct{}{}
		for w := range g.neighbours[u] {
			c.edges++
			c.probes++
			if colour, coloured := c.colours[w]; coloured {
				taken[colour] = struct{}{}
			}
		}
		colour := first
		for contains(taken, colour) {
			colour++
		}
		c.colours[u] = colour
		end = greater(end, colour+1)
	}
	return end
}
