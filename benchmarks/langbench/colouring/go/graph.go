package main

import "sort"

// set is a hash set of vertices.
type set map[uint32]struct{}

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
	for u := range g.neighbours {
		g.vertices = append(g.vertices, u)
	}
	ascend(g.vertices)
}

func ascend(vertices []uint32) {
	sort.Slice(vertices, func(i, j int) bool { return vertices[i] < vertices[j] })
}
