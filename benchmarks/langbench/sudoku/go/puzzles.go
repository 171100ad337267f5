package main

import (
	"fmt"
	"strings"
)

// grid is a puzzle by rows, 0 for an empty cell.
type grid [9][9]uint8

// readPuzzles reads a puzzle a line.
func readPuzzles(text string) ([]grid, error) {
	var puzzles []grid
	// A last line that lacks its line feed is a line nevertheless.
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		g, ok := parse(line)
		if !ok {
			return nil, badLine(i, "a puzzle is 81 characters of 1 to 9 or a full stop")
		}
		if !consistent(&g) {
			return nil, badLine(i, "two givens contradict each other")
		}
		puzzles = append(puzzles, g)
	}
	return puzzles, nil
}

func parse(line string) (g grid, ok bool) {
	if len(line) != 81 {
		return g, false
	}
	for cell := range 81 {
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
