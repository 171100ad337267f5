// The puzzles of an input file.

import { readInput, UsageError } from '../../../harness/javascript/harness.js';

/** Nine rows of nine digits for each puzzle, 0 for an empty cell. */
export function readPuzzles(options) {
  // A last line that lacks its line feed is a line nevertheless.
  const lines = readInput(options.text('input')).toString('latin1').replace(/\n$/, '').split('\n');
  return lines.map((line, index) => {
    if (!/^[1-9.]{81}$/.test(line)) {
      throw badLine(index, 'a puzzle is 81 characters of 1 to 9 or a full stop');
    }
    const grid = line
      .replace(/\./g, '0')
      .match(/.{9}/g)
      .map((row) => [...row].map(Number));
    if (!consistent(grid)) throw badLine(index, 'two givens contradict each other');
    return grid;
  });
}

export function badLine(index, what) {
  return new UsageError(`line ${index + 1} of the input: ${what}; make it with generate.py`);
}

/**
 * Whether no given stands twice in a row, column or box; the search compares no givens. It is not
 * made of `fits`: that would run the task's code before the first iteration.
 */
function consistent(grid) {
  const seen = new Set();
  return grid.flat().every((digit, cell) => {
    const row = (cell / 9) | 0;
    const column = cell % 9;
    const box = 3 * Math.floor(row / 3) + Math.floor(column / 3);
    const places = [`row ${row} ${digit}`, `column ${column} ${digit}`, `box ${box} ${digit}`];
    const alone = digit === 0 || !places.some((place) => seen.has(place));
    for (const place of places) seen.add(place);
    return alone;
  });
}
