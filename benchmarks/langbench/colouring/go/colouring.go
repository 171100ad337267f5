// Colouring is the benchmark langbench/colouring (contract.md beside this folder).
package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	harness "runfair/harness/go"
)

type colouring struct {
	graph     graph
	recursive bool
	counts    counters
	colours   map[uint32]uint32
	end       uint32
}

// Threads is one: the colouring is single-threaded.
func (*colouring) Threads(harness.Options) int { return 1 }

// Load reads an edge a line.
func (p *colouring) Load(options harness.Options) error {
	p.recursive = options.Text("form") == "recursive"
	text, err := options.ReadInput()
	if err != nil {
		return err
	}
	p.graph.neighbours = map[uint32]set{}
	// A last line that lacks its line feed is a line nevertheless.
	for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		if bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		u, v, ok := parseEdge(string(bytes.TrimSuffix(line, []byte("\r"))))
		if !ok {
			return badLine(i, fmt.Sprintf("an edge is two ids from 0 to %d and a tab between", uint32(math.MaxUint32)))
		}
		if u == v {
			return badLine(i, fmt.Sprintf("vertex %d is joined to itself, and so has no colour", u))
		}
		p.graph.join(u, v)
	}
	if len(p.graph.neighbours) == 0 {
		return errors.New("the input has no edge; make it with generate.py")
	}
	p.graph.list()
	return nil
}

// parseEdge reads two ids with a tab between them.
func parseEdge(line string) (u, v uint32, ok bool) {
	first, second, _ := strings.Cut(line, "\t")
	u, ok = parseID(first)
	if !ok {
		return 0, 0, false
	}
	v, ok = parseID(second)
	return u, v, ok
}

// parseID reads 1 to 10 digits; ParseUint takes no sign in base 10.
func parseID(digits string) (id uint32, ok bool) {
	parsed, err := strconv.ParseUint(digits, 10, 32)
	return uint32(parsed), err == nil && len(digits) <= 10
}

func badLine(index int, what string) error {
	return fmt.Errorf("line %d of the input: %s; take a SNAP edge list", index+1, what)
}

// Prepare has nothing to copy: no iteration changes the graph.
func (p *colouring) Prepare() {}

// Run finds the least k that is enough, each time with an attempt made anew.
func (p *colouring) Run() error {
	for k := 2; ; k++ {
		p.counts.attempts++ // tick
		a := attempt{map[uint32]uint32{}, &p.counts}
		var end uint32
		var ok bool
		if p.recursive {
			end, ok = a.recursive(&p.graph, k, 0)
		} else {
			end, ok = a.iterative(&p.graph, k)
		}
		if ok {
			p.colours, p.end = a.colours, end
			return nil
		}
	}
}

// Digest hashes the colours, a line each, and their number.
func (p *colouring) Digest() uint64 {
	p.verify()
	hash := harness.NewFNV1a()
	for _, u := range p.graph.vertices {
		hash.AddString(strconv.Itoa(int(p.colours[u])))
		hash.AddByte('\n')
	}
	hash.AddString(strconv.Itoa(int(p.end)))
	hash.AddByte('\n')
	return uint64(hash)
}

// verify panics where the colouring is not proper.
func (p *colouring) verify() {
	for _, u := range p.graph.vertices {
		colour, coloured := p.colours[u]
		if !coloured || colour >= p.end {
			panic(fmt.Sprintf("vertex %d has no colour of the %d", u, p.end))
		}
		for w := range p.graph.neighbours[u] {
			if p.colours[w] == colour {
				panic(fmt.Sprintf("vertices %d and %d are neighbours of one colour", u, w))
			}
		}
	}
}

// Counters are those of all attempts.
func (p *colouring) Counters() map[string]uint64 {
	return map[string]uint64{
		"attempts":  p.counts.attempts,
		"subgraphs": p.counts.subgraphs,
		"vertices":  p.counts.vertices,
		"edges":     p.counts.edges,
		"probes":    p.counts.probes,
	}
}

func main() {
	harness.Main("colouring", "standard", &colouring{})
}
