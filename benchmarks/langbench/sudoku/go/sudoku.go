// Sudoku is the benchmark langbench/sudoku (contract.md beside this folder).
package main

import (
	"slices"

	harness "runfair/harness/go"
)

// counts is what the search counts: langbench/sudoku/contract.md, "Task".
var counts struct{ tries, placements, reads uint64 }

// solve fills the empty cells from cell on; false leaves them as they were.
func solve(g *grid, cell int) bool {
	for cell < 81 && g[cell/9][cell%9] != 0 {
		cell++
	}
	if cell == 81 {
		return true
	}
	for digit := uint8(1); digit <= 9; digit++ {
		counts.tries++ // tick
		if fits(g, cell, digit) {
			g[cell/9][cell%9] = digit
			counts.placements++ // tick
			if solve(g, cell+1) {
				return true
			}
			g[cell/9][cell%9] = 0
		}
	}
	return false
}

// fits tells whether neither row, column nor box of the cell holds the digit.
func fits(g *grid, cell int, digit uint8) bool {
	row, column := cell/9, cell%9
	for i := range 9 {
		counts.reads++ // tick
		if g[row][i] == digit {
			return false
		}
	}
	for i := range 9 {
		counts.reads++ // tick
		if g[i][column] == digit {
			return false
		}
	}
	top, left := row-row%3, column-column%3
	for i := range 3 {
		for j := range 3 {
			counts.reads++ // tick
			if g[top+i][left+j] == digit {
				return false
			}
		}
	}
	return true
}

type sudoku struct {
	puzzles []grid
	grids   []grid
}

// Threads is one: puzzles are solved one after another.
func (*sudoku) Threads(harness.Options) int { return 1 }

// Load reads the puzzles.
func (p *sudoku) Load(options harness.Options) error {
	text, err := options.ReadInput()
	if err == nil {
		p.puzzles, err = readPuzzles(string(text))
	}
	return err
}

// Prepare copies the puzzles.
func (p *sudoku) Prepare() {
	p.grids = slices.Clone(p.puzzles)
}

// Run solves the puzzles in order.
func (p *sudoku) Run() error {
	for i := range p.grids {
		if !solve(&p.grids[i], 0) {
			return badLine(i, "the puzzle has no solution")
		}
	}
	return nil
}

// Digest hashes the solved grids, a line each.
func (p *sudoku) Digest() uint64 {
	hash := harness.NewFNV1a()
	for i := range p.grids {
		for _, row := range p.grids[i] {
			for _, digit := range row {
				hash.AddByte('0' + digit)
			}
		}
		hash.AddByte('\n')
	}
	return uint64(hash)
}

// Counters are the search's.
func (*sudoku) Counters() map[string]uint64 {
	return map[string]uint64{"tries": counts.tries, "placements": counts.placements, "reads": counts.reads}
}

func main() {
	harness.Main("sudoku", "standard", &sudoku{})
}
