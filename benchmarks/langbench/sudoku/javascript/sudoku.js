// Sudoku by exhaustive backtracking, cell after cell: langbench/sudoku/contract.md.

import { Fnv1a, main } from '../../../harness/javascript/harness.js';
import { badLine, readPuzzles } from './puzzles.js';

const CELLS = 81;

/** Solves one grid: a flat array of 81 digits, row by row, 0 for an empty cell. */
class Solver {
  constructor(grid) {
    this.grid = grid;
  }

  solve(cell) {
    const grid = this.grid;
    while (cell < CELLS && grid[cell] !== 0) cell++;
    if (cell === CELLS) return true;
    for (let digit = 1; digit <= 9; digit++) {
      if (this.fits(cell, digit)) {
        grid[cell] = digit;
        if (this.solve(cell + 1)) return true;
        grid[cell] = 0;
      }
    }
    return false;
  }

  fits(cell, digit) {
    const grid = this.grid;
    const row = (cell / 9) | 0;
    const column = cell % 9;
    for (let i = 0; i < 9; i++) if (grid[9 * row + i] === digit) return false;
    for (let i = 0; i < 9; i++) if (grid[9 * i + column] === digit) return false;
    const top = row - (row % 3);
    const left = column - (column % 3);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) if (grid[9 * (top + i) + left + j] === digit) return false;
    }
    return true;
  }
}

/** Never made in a timed process, so that the engine sees but one kind of solver there. */
class CountingSolver extends Solver {
  constructor(grid, counters) {
    super(grid);
    this.counters = counters;
  }

  fits(cell, digit) {
    const { grid, counters } = this;
    const row = (cell / 9) | 0;
    const column = cell % 9;
    const top = row - (row % 3);
    const left = column - (column % 3);
    counters.tries++;
    for (let i = 0; i < 9; i++) {
      counters.reads++;
      if (grid[9 * row + i] === digit) return false;
    }
    for (let i = 0; i < 9; i++) {
      counters.reads++;
      if (grid[9 * i + column] === digit) return false;
    }
    for (let i = 0; i < 9; i++) {
      counters.reads++;
      if (grid[9 * (top + Math.floor(i / 3)) + left + (i % 3)] === digit) return false;
    }
    counters.placements++; // a digit that fits is placed at once
    return true;
  }
}

function load({ inputs: [path] }) {
  return readPuzzles(path);
}

function prepare(puzzles) {
  return puzzles.map((grid) => grid.slice());
}

function run(grids) {
  grids.forEach((grid, index) => {
    if (!new Solver(grid).solve(0)) throw badLine(index, 'the puzzle has no solution');
  });
  return grids;
}

function count(grids) {
  const counters = { tries: 0, placements: 0, reads: 0 };
  grids.forEach((grid, index) => {
    const solver = new CountingSolver(grid, counters);
    if (!solver.solve(0)) throw badLine(index, 'the puzzle has no solution');
  });
  return { result: grids, counters };
}

function digest(grids) {
  const hash = new Fnv1a();
  for (const grid of grids) hash.ascii(`${grid.join('')}\n`);
  return hash.digest();
}

main({
  name: 'sudoku',
  workloads: ['classic', 'balanced'],
  inputs: 1,
  load,
  prepare,
  run,
  count,
  digest,
});
