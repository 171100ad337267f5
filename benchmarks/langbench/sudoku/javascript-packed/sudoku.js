// Arrays that begin empty and grow element by element: V8 knows that they have no holes.

import { solveNested } from '../javascript-nested/nested.js';

solveNested('packed', (digits) => {
  const grid = [];
  for (let row = 0; row < 9; row++) {
    grid.push([]);
    for (let column = 0; column < 9; column++) grid[row].push(digits[9 * row + column]);
  }
  return grid;
});
