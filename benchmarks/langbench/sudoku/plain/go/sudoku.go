// The contract's pseudocode over nine rows of nine ints: langbench/sudoku/contract.md. Of the
// language it asks no more than Go 1.0 had.
package main

import (
	"fmt"
	"strings"

	harness "runfair/harness/go"
)

var tries, placements, reads uint64

type grid [9][9]int

func (g *grid) solve(cell int) bool {
	for cell < 81 && g[cell/9][cell%9] != 0 {
		cell++
	}
	if cell == 81 {
		return true
	}
	for digit := 1; digit <= 9; digit++ {
		tries++ // tick
		if g.fits(cell, digit) {
			g[cell/9][cell%9] = digit
			placements++ // tick
			if g.solve(cell + 1) {
				return true
			}
			g[cell/9][cell%9] = 0
		}
	}
	return false
}

func (g *grid) fits(cell, digit int) bool {
	row, column := cell/9, cell%9
	for i := 0; i < 9; i++ {
		reads++ // tick
		if g[row][i] == digit {
			return false
		}
	}
	for i := 0; i < 9; i++ {
		reads++ // tick
		if g[i][column] == digit {
			return false
		}
	}
	top, left := row-row%3, column-column%3
	for i := 0; i < 3; i++ {
		for j := 0; j < 3; j++ {
			reads++ // tick
			if g[top+i][left+j] == digit {
				return false
			}
		}
	}
	return true
}

// standsAlone tells whether a given has no equal in its row, column and box.
func (g *grid) standsAlone(row, column int) bool {
	for i := 0; i < 9; i++ {
		for j := 0; j < 9; j++ {
			sameBox := i/3 == row/3 && j/3 == column/3
			itself := i == row && j == column
			if !itself && (i == row || j == column || sameBox) && g[i][j] == g[row][column] {
				return false
			}
		}
	}
	return true
}

func badLine(index int, what string) error {
	return fmt.Errorf("line %d of the input: %s; make it with generate.py", index+1, what)
}

func parse(line string, index int) (g grid, err error) {
	good := len(line) == 81
	for cell := 0; good && cell < 81; cell++ {
		if '1' <= line[cell] && line[cell] <= '9' {
			g[cell/9][cell%9] = int(line[cell] - '0')
		} else {
			good = line[cell] == '.'
		}
	}
	if !good {
		return g, badLine(index, "a puzzle is 81 characters of 1 to 9 or a full stop")
	}
	for cell := 0; cell < 81; cell++ {
		if g[cell/9][cell%9] != 0 && !g.standsAlone(cell/9, cell%9) {
			return g, badLine(index, "two givens contradict each other")
		}
	}
	return g, nil
}

type program struct {
	puzzles, grids []grid
}

func (*program) Threads(harness.Options) int { return 1 }

func (p *program) Load(options harness.Options) error {
	content, err := options.ReadInput()
	if err != nil {
		return err
	}
	text := string(content)
	if strings.HasSuffix(text, "\n") {
		text = text[:len(text)-1]
	}
	for index, line := range strings.Split(text, "\n") {
		puzzle, err := parse(line, index)
		if err != nil {
			return err
		}
		p.puzzles = append(p.puzzles, puzzle)
	}
	return nil
}

func (p *program) Prepare() {
	p.grids = make([]grid, len(p.puzzles))
	copy(p.grids, p.puzzles)
}

func (p *program) Run() error {
	for i := range p.grids {
		if !p.grids[i].solve(0) {
			return badLine(i, "the puzzle has no solution")
		}
	}
	return nil
}

func (p *program) Digest() uint64 {
	hash := harness.NewFNV1a()
	for i := range p.grids {
		for cell := 0; cell < 81; cell++ {
			hash.AddByte(byte('0' + p.grids[i][cell/9][cell%9]))
		}
		hash.AddByte('\n')
	}
	return uint64(hash)
}

func (*program) Counters() map[string]uint64 {
	return map[string]uint64{"tries": tries, "placements": placements, "reads": reads}
}

func main() {
	harness.Main("sudoku", "plain", &program{})
}
