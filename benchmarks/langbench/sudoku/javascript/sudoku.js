// Exhaustive search over nine rows of nine cells: langbench/sudoku/contract.md.

import { solvePuzzles } from './solver.js';

solvePuzzles('standard', (puzzle) => puzzle.map((row) => row.slice()));
