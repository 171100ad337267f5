package main

import (
	"maps"
	"slices"
)

// set is a hash set of vertices, or of colours.
type set map[uint32]struct{}

func (s set) has(element uint32) bool {
	_, there := s[element]
	return there
}

// graph has its vertices in ascending order, and the neighbours of each.
type graph struct {
	vertices   []uint32
	neighbours map[uint32]set
}

// join adds an edge; the vertices are listed when all edges are there.
func (g *graph) join(u, v uint32) {
	g.neighboursOf(u)[v] = struct{}{}
	g.neighboursOf(v)[u] = struct{}{}
}

func (g *graph) neighboursOf(u uint32) set {
	neighbours, ok := g.neighbours[u]
	if !ok {
		neighbours = set{}
		g.neighbours[u] = neighbours
	}
	return neighbours
}

// list makes the list of vertices.
func (g *graph) list() {
	g.vertices = slices.Sorted(maps.Keys(g.neighbours))
}
