// Arrays that begin empty and grow element by element: V8 knows that they have no holes.

import { solvePuzzles } from '../javascript/solver.js';

solvePuzzles('packed', (puzzle) => {
  const grid = [];
  for (let row = 0; row < 9; row++) {
    grid.push([]);
    for (let column = 0; column < 9; column++) grid[row].push(puzzle[row][column]);
  }
  return grid;
});
