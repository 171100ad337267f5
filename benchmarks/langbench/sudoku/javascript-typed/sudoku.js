// Nine typed arrays of bytes, which are never without their zeros, in an array that began empty.

import { solveNested } from '../javascript-nested/nested.js';

solveNested('typed', (digits) => {
  const grid = [];
  for (let row = 0; row < 9; row++) grid.push(Int8Array.from(digits.slice(9 * row, 9 * row + 9)));
  return grid;
});
