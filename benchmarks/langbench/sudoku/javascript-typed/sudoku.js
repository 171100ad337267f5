// Nine typed arrays of bytes, which are never without their zeros, in an array that began empty.

import { solvePuzzles } from '../javascript/solver.js';

solvePuzzles('typed', (puzzle) => {
  const grid = [];
  for (const row of puzzle) grid.push(Int8Array.from(row));
  return grid;
});
