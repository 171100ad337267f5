package main

import (
	"strings"
	"testing"
)

const puzzle = ".3.25..4...8..........49..5..3..6......7..1.....59.......12.8.9.2...463..1...35.."

func text(g *grid) string {
	var cells strings.Builder
	for _, row := range g {
		for _, digit := range row {
			cells.WriteByte('0' + digit)
		}
	}
	return cells.String()
}

func parsed(t *testing.T, line string) grid {
	t.Helper()
	g, ok := parse(line)
	if !ok {
		t.Fatalf("%s is not parsed", line)
	}
	return g
}

// naive is another search: it tries each digit and judges the grid by consistent.
func naive(g *grid, tries, placements *uint64) bool {
	for row := range g {
		for column := range g[row] {
			if g[row][column] != 0 {
				continue
			}
			for digit := uint8(1); digit <= 9; digit++ {
				*tries++
				g[row][column] = digit
				if consistent(g) {
					*placements++
					if naive(g, tries, placements) {
						return true
					}
				}
				g[row][column] = 0
			}
			return false
		}
	}
	return true
}

func TestSolvesAsTheNaiveSearch(t *testing.T) {
	want := parsed(t, puzzle)
	var tries, placements uint64
	if !naive(&want, &tries, &placements) || !consistent(&want) || strings.Contains(text(&want), "0") {
		t.Fatalf("the naive search gives %s", text(&want))
	}
	g, before := parsed(t, puzzle), counts
	if !solve(&g, 0) || g != want {
		t.Errorf("solve gives %s", text(&g))
	}
	if got := counts.tries - before.tries; got != tries {
		t.Errorf("%d tries, not %d", got, tries)
	}
	if got := counts.placements - before.placements; got != placements {
		t.Errorf("%d placements, not %d", got, placements)
	}
}

func TestReadsStopAtTheFirstThatHoldsTheDigit(t *testing.T) {
	for _, c := range []struct {
		cell, holder int
		reads        uint64
	}{
		{0, -1, 27},
		{0, 1, 2},        // in the row
		{0, 18, 9 + 3},   // in the column
		{0, 10, 18 + 5},  // in the box, its middle
		{80, 60, 18 + 1}, // in the box, its first
	} {
		var g grid
		if c.holder >= 0 {
			g[c.holder/9][c.holder%9] = 5
		}
		before := counts.reads
		if fits := fits(&g, c.cell, 5); fits != (c.holder < 0) {
			t.Errorf("cell %d, holder %d: fits is %v", c.cell, c.holder, fits)
		}
		if reads := counts.reads - before; reads != c.reads {
			t.Errorf("cell %d, holder %d: %d reads, not %d", c.cell, c.holder, reads, c.reads)
		}
	}
}

func TestAnUnsolvableGridIsLeftAsItWas(t *testing.T) {
	// 1 to 8 in the first row, and 9 in the last column: no digit for the cell they share.
	g := parsed(t, "12345678."+strings.Repeat(".", 8)+"9"+strings.Repeat(".", 63))
	before := g
	if !consistent(&g) || solve(&g, 0) || g != before {
		t.Errorf("became %s", text(&g))
	}
}

func TestOtherFormsAreRefused(t *testing.T) {
	for _, line := range []string{"", puzzle[1:], puzzle + ".", puzzle + "\r", "0" + puzzle[1:], "x" + puzzle[1:], " " + puzzle[1:]} {
		if _, ok := parse(line); ok {
			t.Errorf("%q is taken for a puzzle", line)
		}
	}
}

func TestGivensThatExcludeEachOtherAreSeen(t *testing.T) {
	for _, other := range []int{8, 72, 20} {
		var g grid
		g[0][0] = 7
		g[other/9][other%9] = 7
		if consistent(&g) {
			t.Errorf("cells 0 and %d may not both be 7", other)
		}
	}
}
