// Eight queens, ten times; the answer is how often all of them found a place.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

const SIZE = 8;
const TIMES = 10;

export class Queens extends Benchmark {
  once() {
    let solved = 0;
    for (let i = 0; i < TIMES; i++) {
      if (this.queens()) solved++;
    }
    return solved;
  }

  queens() {
    this.freeRows = new Array(SIZE).fill(true);
    this.freeMaxs = new Array(2 * SIZE).fill(true);
    this.freeMins = new Array(2 * SIZE).fill(true);
    this.queenRows = new Array(SIZE).fill(-1);
    return this.placeQueen(0);
  }

  placeQueen(column) {
    for (let row = 0; row < SIZE; row++) {
      counts.steps++; // tick
      if (this.isFree(row, column)) {
        this.queenRows[row] = column;
        this.setFree(row, column, false);
        if (column === SIZE - 1 || this.placeQueen(column + 1)) return true;
        this.setFree(row, column, true);
      }
    }
    return false;
  }

  isFree(row, column) {
    return (
      this.freeRows[row] && this.freeMaxs[column + row] && this.freeMins[column - row + SIZE - 1]
    );
  }

  setFree(row, column, free) {
    this.freeRows[row] = free;
    this.freeMaxs[column + row] = free;
    this.freeMins[column - row + SIZE - 1] = free;
  }
}
