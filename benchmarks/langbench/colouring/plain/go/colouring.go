// The contract's pseudocode over maps: langbench/colouring/contract.md. Of the language it asks no
// more than Go 1.0 had.
package main

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	harness "runfair/harness/go"
)

const failed = -1

var counts struct{ attempts, subgraphs, vertices, edges, probes uint64 }

type set map[uint32]bool

type graph struct {
	vertices   []uint32
	neighbours map[uint32]set
}

type ascending []uint32

func (a ascending) Len() int           { return len(a) }
func (a ascending) Less(i, j int) bool { return a[i] < a[j] }
func (a ascending) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

type frame struct {
	g             *graph
	k, first, end int
	degrees       map[uint32]int
	hub           uint32
	neighbourhood *graph
}

type program struct {
	g       *graph
	form    string
	colours map[uint32]int
	end     int
}

func (p *program) colour() {
	for k := 2; ; k++ {
		counts.attempts++ // tick
		p.colours = make(map[uint32]int)
		if p.form == "recursive" {
			p.end = p.recursive(p.g, k, 0)
		} else {
			p.end = p.iterative(p.g, k)
		}
		if p.end != failed {
			return
		}
	}
}

func (p *program) recursive(g *graph, k, first int) int {
	if k == 2 {
		return p.twoColour(g, first)
	}
	degrees := degreesOf(g)
	end := first
	for {
		hub, degree := widest(g, degrees)
		if !isWide(degree, len(g.vertices), k) {
			return greater(end, p.greedy(g, degrees, first))
		}
		h := neighbourhood(g, degrees, hub)
		free := p.recursive(h, k-1, first)
		if free == failed {
			return failed
		}
		p.colours[hub] = free
		end = free + 1
		remove(g, degrees, hub, h)
		first = free
	}
}

func (p *program) iterative(g *graph, k int) int {
	stack := []*frame{{g: g, k: k}}
	free := 0
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		if top.k == 2 {
			free = p.twoColour(top.g, top.first)
			if free == failed {
				return failed
			}
			stack = stack[:len(stack)-1]
			continue
		}
		if top.degrees == nil {
			top.degrees = degreesOf(top.g)
		} else {
			p.colours[top.hub] = free
			top.end = free + 1
			remove(top.g, top.degrees, top.hub, top.neighbourhood)
			top.first = free
		}
		hub, degree := widest(top.g, top.degrees)
		top.hub = hub
		if isWide(degree, len(top.g.vertices), top.k) {
			top.neighbourhood = neighbourhood(top.g, top.degrees, hub)
			stack = append(stack, &frame{g: top.neighbourhood, k: top.k - 1, first: top.first, end: top.first})
		} else {
			free = greater(top.end, p.greedy(top.g, top.degrees, top.first))
			stack = stack[:len(stack)-1]
		}
	}
	return free
}

func degreesOf(g *graph) map[uint32]int {
	degrees := make(map[uint32]int)
	for _, u := range g.vertices {
		counts.vertices++ // tick
		degrees[u] = len(g.neighbours[u])
	}
	return degrees
}

func widest(g *graph, degrees map[uint32]int) (hub uint32, greatest int) {
	for _, u := range g.vertices {
		counts.probes++ // tick
		if degree := degrees[u]; degree > greatest {
			hub, greatest = u, degree
		}
	}
	return hub, greatest
}

func isWide(degree, n, k int) bool {
	product := float64(degree)
	for i := 0; i < k-2; i++ {
		product *= float64(degree) / float64(n)
	}
	return product >= 1
}

func neighbourhood(g *graph, degrees map[uint32]int, hub uint32) *graph {
	counts.subgraphs++ // tick
	counts.vertices++  // tick
	members := make(set)
	h := &graph{neighbours: make(map[uint32]set)}
	for w := range g.neighbours[hub] {
		counts.probes++ // tick
		if _, left := degrees[w]; left {
			members[w] = true
			h.vertices = append(h.vertices, w)
		}
	}
	sort.Sort(ascending(h.vertices))
	for _, u := range h.vertices {
		counts.vertices++ // tick
		h.neighbours[u] = intersection(g.neighbours[u], members)
	}
	return h
}

func intersection(a, b set) set {
	if len(a) > len(b) {
		a, b = b, a
	}
	common := make(set)
	for w := range a {
		counts.probes++ // tick
		if b[w] {
			common[w] = true
		}
	}
	return common
}

func remove(g *graph, degrees map[uint32]int, hub uint32, h *graph) {
	delete(degrees, hub)
	for _, u := range h.vertices {
		delete(degrees, u)
	}
	for _, u := range h.vertices {
		counts.vertices++ // tick
		for w := range g.neighbours[u] {
			counts.edges++  // tick
			counts.probes++ // tick
			if degree, left := degrees[w]; left {
				degrees[w] = degree - 1
			}
		}
	}
}

func (p *program) twoColour(g *graph, first int) int {
	end := first + 1
	for _, root := range g.vertices {
		counts.probes++ // tick
		if _, coloured := p.colours[root]; coloured {
			continue
		}
		p.colours[root] = first
		odd := false
		queue := []uint32{root}
		for i := 0; i < len(queue); i++ {
			u := queue[i]
			counts.vertices++ // tick
			counts.probes++   // tick
			other := 2*first + 1 - p.colours[u]
			for w := range g.neighbours[u] {
				counts.edges++  // tick
				counts.probes++ // tick
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
			return failed
		}
	}
	return end
}

func (p *program) greedy(g *graph, degrees map[uint32]int, first int) int {
	end := first
	for _, u := range g.vertices {
		counts.probes++ // tick
		if _, left := degrees[u]; !left {
			continue
		}
		counts.vertices++ // tick
		taken := make(map[int]bool)
		for w := range g.neighbours[u] {
			counts.edges++  // tick
			counts.probes++ // tick
			if colour, coloured := p.colours[w]; coloured {
				taken[colour] = true
			}
		}
		colour := first
		for taken[colour] {
			colour++
		}
		p.colours[u] = colour
		end = greater(end, colour+1)
	}
	return end
}

func greater(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// Threads is one: the task is single-threaded.
func (*program) Threads(harness.Options) int { return 1 }

var edge = regexp.MustCompile("^([0-9]{1,10})\t([0-9]{1,10})\r?$")

func (p *program) Load(options harness.Options) error {
	content, err := options.ReadInput()
	if err != nil {
		return err
	}
	text := string(content)
	if strings.HasSuffix(text, "\n") {
		text = text[:len(text)-1]
	}
	p.form = options.Text("form")
	p.g = &graph{neighbours: make(map[uint32]set)}
	for index, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		ids := edge.FindStringSubmatch(line)
		if ids == nil {
			return badLine(index, "an edge is two ids from 0 to 4294967295 and a tab between")
		}
		u, tooGreat := strconv.ParseUint(ids[1], 10, 32)
		v, tooGreatToo := strconv.ParseUint(ids[2], 10, 32)
		if tooGreat != nil || tooGreatToo != nil {
			return badLine(index, "an edge is two ids from 0 to 4294967295 and a tab between")
		}
		if u == v {
			return badLine(index, fmt.Sprintf("vertex %d is joined to itself, and so has no colour", u))
		}
		p.g.join(uint32(u), uint32(v))
		p.g.join(uint32(v), uint32(u))
	}
	if len(p.g.vertices) == 0 {
		return fmt.Errorf("the input has no edge; make it with generate.py")
	}
	sort.Sort(ascending(p.g.vertices))
	return nil
}

func (g *graph) join(u, v uint32) {
	if g.neighbours[u] == nil {
		g.neighbours[u] = make(set)
		g.vertices = append(g.vertices, u)
	}
	g.neighbours[u][v] = true
}

func badLine(index int, what string) error {
	return fmt.Errorf("line %d of the input: %s; take a SNAP edge list", index+1, what)
}

func (*program) Prepare() {}

func (p *program) Run() error {
	p.colour()
	return nil
}

// verify panics if the colouring is not proper.
func (p *program) verify() {
	for _, u := range p.g.vertices {
		colour, coloured := p.colours[u]
		if !coloured || colour >= p.end {
			panic(fmt.Sprintf("vertex %d has no colour of the %d", u, p.end))
		}
		for w := range p.g.neighbours[u] {
			if p.colours[w] == colour {
				panic(fmt.Sprintf("vertices %d and %d are neighbours of one colour", u, w))
			}
		}
	}
}

func (p *program) Digest() uint64 {
	p.verify()
	hash := harness.NewFNV1a()
	for _, u := range p.g.vertices {
		hash.AddString(strconv.Itoa(p.colours[u]))
		hash.AddByte('\n')
	}
	hash.AddString(strconv.Itoa(p.end))
	hash.AddByte('\n')
	return uint64(hash)
}

func (*program) Counters() map[string]uint64 {
	return map[string]uint64{
		"attempts": counts.attempts, "subgraphs": counts.subgraphs, "vertices": counts.vertices,
		"edges": counts.edges, "probes": counts.probes,
	}
}

func main() {
	harness.Main("colouring", "plain", &program{})
}
