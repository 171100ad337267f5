package main

// counted is the search of sudoku.go, line by line, with counters.
type counted struct {
	tries      uint64
	placements uint64
	reads      uint64
}

func (c *counted) solve(g *grid, cell int) bool {
	for cell < 81 && g[cell/9][cell%9] != 0 {
		cell++
	}
	if cell == 81 {
		return true
	}
	for digit := uint8(1); digit <= 9; digit++ {
		c.tries++
		if c.fits(g, cell, digit) {
			g[cell/9][cell%9] = digit
			c.placements++
			if c.solve(g, cell+1) {
				return true
			}
			g[cell/9][cell%9] = 0
		}
	}
	return false
}

func (c *counted) fits(g *grid, cell int, digit uint8) bool {
	row, column := cell/9, cell%9
	for i := 0; i < 9; i++ {
		c.reads++
		if g[row][i] == digit {
			return false
		}
	}
	for i := 0; i < 9; i++ {
		c.reads++
		if g[i][column] == digit {
			return false
		}
	}
	top, left := row-row%3, column-column%3
	for i := 0; i < 3; i++ {
		for j := 0; j < 3; j++ {
			c.reads++
			if g[top+i][left+j] == digit {
				return false
			}
		}
	}
	return true
}
