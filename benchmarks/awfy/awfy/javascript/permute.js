// All permutations of six elements, by swapping.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

const ELEMENTS = 6;

export class Permute extends Benchmark {
  once() {
    this.count = 0;
    this.elements = new Array(ELEMENTS).fill(0);
    this.permute(ELEMENTS);
    return this.count;
  }

  permute(n) {
    counts.steps++; // tick
    this.count++;
    if (n !== 0) {
      const last = n - 1;
      this.permute(last);
      for (let i = last; i >= 0; i--) {
        this.swap(last, i);
        this.permute(last);
        this.swap(last, i);
      }
    }
  }

  swap(i, j) {
    const element = this.elements[i];
    this.elements[i] = this.elements[j];
    this.elements[j] = element;
  }
}
