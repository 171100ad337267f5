// The search over nine rows of nine cells: langbench/sudoku/contract.md. The tiers that share it
// differ by nothing but how they make a grid.

import { Fnv1a, main } from '../../../harness/javascript/harness.js';
import { badLine, readPuzzles } from '../javascript/puzzles.js';

const CELLS = 81;

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
      if (this.fits(cell, digit)) {
        row[column] = digit;
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
    for (let i = 0; i < 9; i++) if (grid[row][i] === digit) return false;
    for (let i = 0; i < 9; i++) if (grid[i][column] === digit) return false;
    const top = row - (row % 3);
    const left = column - (column % 3);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) if (grid[top + i][left + j] === digit) return false;
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
      if (grid[row][i] === digit) return false;
    }
    for (let i = 0; i < 9; i++) {
      counters.reads++;
      if (grid[i][column] === digit) return false;
    }
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) {
        counters.reads++;
        if (grid[top + i][left + j] === digit) return false;
      }
    }
    counters.placements++; // a digit that fits is placed at once
    return true;
  }
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
  for (const grid of grids) hash.ascii(`${grid.map((row) => row.join('')).join('')}\n`);
  return hash.digest();
}

/** The program of a tier: `gridOf` makes a grid of the 81 digits of a puzzle. */
export function solveNested(tier, gridOf) {
  main({
    name: 'sudoku',
    tier,
    workloads: ['classic', 'balanced'],
    inputs: 1,
    load: ({ inputs: [path] }) => readPuzzles(path),
    prepare: (puzzles) => puzzles.map(gridOf),
    run,
    count,
    digest,
  });
}
