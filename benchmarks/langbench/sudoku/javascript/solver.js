// The search over nine rows of nine cells. The tiers that share it differ in nothing but how they
// make a grid.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../harness/javascript/primitives.js';
import { badLine, readPuzzles } from './puzzles.js';

const CELLS = 81;

const counts = { tries: 0, placements: 0, reads: 0 };

/** Solves one grid: nine rows of nine digits, 0 for an empty cell. */
class Solver {
  constructor(grid) {
    this.grid = grid;
  }

  solve(cell) {
    const grid = this.grid;
    while (cell < CELLS && grid[(cell / 9) | 0][cell % 9] !== 0) cell++;
    if (cell === CELLS) return true;
    const row = grid[(cell / 9) | 0];
    const column = cell % 9;
    for (let digit = 1; digit <= 9; digit++) {
      counts.tries++; // tick
      if (this.fits(cell, digit)) {
        row[column] = digit;
        counts.placements++; // tick
        if (this.solve(cell + 1)) return true;
        row[column] = 0;
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
      if (grid[row][i] === digit) return false;
    }
    for (let i = 0; i < 9; i++) {
      counts.reads++; // tick
      if (grid[i][column] === digit) return false;
    }
    const top = row - (row % 3);
    const left = column - (column % 3);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        counts.reads++; // tick
        if (grid[top + i][left + j] === digit) return false;
      }
    }
    return true;
  }
}

function run(grids) {
  grids.forEach((grid, index) => {
    if (!new Solver(grid).solve(0)) throw badLine(index, 'the puzzle has no solution');
  });
  return grids;
}

function digest(grids) {
  const hash = new Fnv1a();
  for (const grid of grids) hash.latin1(`${grid.map((row) => row.join('')).join('')}\n`);
  return hash.digest();
}

/** Carries out the program of a tier: `gridOf` makes a fresh grid of a puzzle, rows of digits. */
export function solvePuzzles(tier, gridOf) {
  main({
    name: 'sudoku',
    tier,
    maxThreads: 1,
    load: readPuzzles,
    prepare: (puzzles) => puzzles.map(gridOf),
    run,
    digest,
    counters: () => counts,
  });
}
