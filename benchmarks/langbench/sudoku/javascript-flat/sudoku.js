// Sudoku by exhaustive backtracking, cell after cell: langbench/sudoku/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../harness/javascript/primitives.js';
import { badLine, readPuzzles } from '../javascript/puzzles.js';

const CELLS = 81;

const counts = { tries: 0, placements: 0, reads: 0 };

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
      counts.tries++; // tick
      if (this.fits(cell, digit)) {
        grid[cell] = digit;
        counts.placements++; // tick
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
    for (let i = 0; i < 9; i++) {
      counts.reads++; // tick
      if (grid[9 * row + i] === digit) return false;
    }
    for (let i = 0; i < 9; i++) {
      counts.reads++; // tick
      if (grid[9 * i + column] === digit) return false;
    }
    const top = row - (row % 3);
    const left = column - (column % 3);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        counts.reads++; // tick
        if (grid[9 * (top + i) + left + j] === digit) return false;
      }
    }
    return true;
  }
}

function load(options) {
  return readPuzzles(options).map((rows) => rows.flat());
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

function digest(grids) {
  const hash = new Fnv1a();
  for (const grid of grids) hash.latin1(`${grid.join('')}\n`);
  return hash.digest();
}

main({
  name: 'sudoku',
  tier: 'flat',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
