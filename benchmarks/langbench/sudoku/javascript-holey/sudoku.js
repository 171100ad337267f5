// Arrays made in their full length: to V8 they have holes for good, though each is filled at once.

import { solvePuzzles } from '../javascript/solver.js';

solvePuzzles('holey', (puzzle) => {
  const grid = new Array(9);
  for (let row = 0; row < 9; row++) {
    grid[row] = new Array(9);
    for (let column = 0; column < 9; column++) grid[row][column] = puzzle[row][column];
  }
  return grid;
});
