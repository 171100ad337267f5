// Sudoku is the benchmark langbench/sudoku (contract.md beside this folder).
package main

import (
	"fmt"
	"strings"

	harness "runfair/harness/go"
)

// grid is a puzzle by rows, 0 for an empty cell.
type grid [9][9]uint8

// solve fills the empty cells from cell on; false leaves them as they were.
func solve(g *grid, cell int) bool {
	for cell < 81 && g[cell/9][cell%9] != 0 {
		cell++
	}
	if cell == 81 {
		return true
	}
	for digit := uint8(1); digit <= 9; digit++ {
		if fits(g, cell, digit) {
			g[cell/9][cell%9] = digit
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
	for i := 0; i < 9; i++ {
		if g[row][i] == digit {
			return false
		}
	}
	for i := 0; i < 9; i++ {
		if g[i][column] == digit {
			return false
		}
	}
	top, left := row-row%3, column-column%3
	for i := 0; i < 3; i++ {
		for j := 0; j < 3; j++ {
			if g[top+i][left+j] == digit {
				return false
			}
		}
	}
	return true
}

type program struct {
	puzzles []grid
	grids   []grid
}

// Load reads a puzzle a line.
func (p *program) Load(options *harness.Options) error {
	text, err := options.ReadInput(0)
	if err != nil {
		return err
	}
	// A last line that lacks its line feed is a line nevertheless.
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range lines {
		g, ok := parse(line)
		if !ok {
			return badLine(i, "a puzzle is 81 characters of 1 to 9 or a full stop")
		}
		if !consistent(&g) {
			return badLine(i, "two givens contradict each other")
		}
		p.puzzles = append(p.puzzles, g)
	}
	return nil
}

func parse(line string) (g grid, ok bool) {
	if len(line) != 81 {
		return g, false
	}
	for cell := 0; cell < 81; cell++ {
		switch c := line[cell]; {
		case '1' <= c && c <= '9':
			g[cell/9][cell%9] = c - '0'
		case c != '.':
			return g, false
		}
	}
	return g, true
}

// consistent tells whether no two givens exclude each other. It is not made of
// fits: that would run the task's code before the first iteration.
func consistent(g *grid) bool {
	var rows, columns, boxes [9]uint16
	for row := range g {
		for column, digit := range g[row] {
			if digit == 0 {
				continue
			}
			bit := uint16(1) << digit
			box := row/3*3 + column/3
			if (rows[row]|columns[column]|boxes[box])&bit != 0 {
				return false
			}
			rows[row] |= bit
			columns[column] |= bit
			boxes[box] |= bit
		}
	}
	return true
}

func badLine(index int, what string) error {
	return fmt.Errorf("line %d of the input: %s; make it with generate.py", index+1, what)
}

// Prepare copies the puzzles.
func (p *program) Prepare() {
	p.grids = append([]grid(nil), p.puzzles...)
}

// Run solves the puzzles in order.
func (p *program) Run() error {
	for i := range p.grids {
		if !solve(&p.grids[i], 0) {
			return badLine(i, "the puzzle has no solution")
		}
	}
	return nil
}

// Digest hashes the solved grids, a line each.
func (p *program) Digest() uint64 {
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

// Count solves the puzzles in order with counters.
func (p *program) Count() (map[string]uint64, error) {
	var c counted
	for i := range p.grids {
		if !c.solve(&p.grids[i], 0) {
			return nil, badLine(i, "the puzzle has no solution")
		}
	}
	return map[string]uint64{"tries": c.tries, "placements": c.placements, "reads": c.reads}, nil
}

func main() {
	harness.Main(harness.Benchmark{
		Name:      "sudoku",
		Tier:      "standard",
		Workloads: []string{"classic", "balanced"},
		Inputs:    1,
	}, &program{})
}
