// The contract's pseudocode as functions over nine rows of nine numbers, in the JavaScript of 2017:
// langbench/sudoku/contract.md.

import { main, readInput, UsageError } from '../../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../../harness/javascript/primitives.js';

const counts = { tries: 0, placements: 0, reads: 0 };

function solve(grid, cell) {
  while (cell < 81 && grid[Math.floor(cell / 9)][cell % 9] !== 0) cell++;
  if (cell === 81) return true;
  for (let digit = 1; digit <= 9; digit++) {
    counts.tries++; // tick
    if (fits(grid, cell, digit)) {
      grid[Math.floor(cell / 9)][cell % 9] = digit;
      counts.placements++; // tick
      if (solve(grid, cell + 1)) return true;
      grid[Math.floor(cell / 9)][cell % 9] = 0;
    }
  }
  return false;
}

function fits(grid, cell, digit) {
  const row = Math.floor(cell / 9);
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

function load(options) {
  const lines = readInput(options.text('input')).toString('latin1').split('\n');
  if (lines.length > 1 && lines[lines.length - 1] === '') lines.pop();
  return lines.map(parse);
}

function parse(line, index) {
  if (!/^[1-9.]{81}$/.test(line)) {
    throw badLine(index, 'a puzzle is 81 characters of 1 to 9 or a full stop');
  }
  const grid = [];
  for (let row = 0; row < 9; row++) {
    grid.push([]);
    for (let column = 0; column < 9; column++) {
      const character = line[9 * row + column];
      grid[row].push(character === '.' ? 0 : Number(character));
    }
  }
  for (let cell = 0; cell < 81; cell++) {
    if (!standsAlone(grid, Math.floor(cell / 9), cell % 9)) {
      throw badLine(index, 'two givens contradict each other');
    }
  }
  return grid;
}

/** Whether a cell is empty, or has no equal in its row, column and box. */
function standsAlone(grid, row, column) {
  if (grid[row][column] === 0) return true;
  const box = (i, j) => 3 * Math.floor(i / 3) + Math.floor(j / 3);
  return grid.every((line, i) =>
    line.every((digit, j) => {
      const itself = i === row && j === column;
      const sees = i === row || j === column || box(i, j) === box(row, column);
      return itself || !sees || digit !== grid[row][column];
    }),
  );
}

function badLine(index, what) {
  return new UsageError(`line ${index + 1} of the input: ${what}; make it with generate.py`);
}

function prepare(puzzles) {
  return puzzles.map((grid) => grid.map((row) => row.slice()));
}

function run(grids) {
  grids.forEach((grid, index) => {
    if (!solve(grid, 0)) throw badLine(index, 'the puzzle has no solution');
  });
  return grids;
}

function digest(grids) {
  const hash = new Fnv1a();
  for (const grid of grids) hash.latin1(`${grid.map((row) => row.join('')).join('')}\n`);
  return hash.digest();
}

main({
  name: 'sudoku',
  tier: 'plain',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
