// A tree of arrays, whose leaves are arrays of random lengths.

import { Benchmark, Random } from './benchmark.js';
import { counts } from './counts.js';

const DEPTH = 7;
const BRANCHES = 4;

export class Storage extends Benchmark {
  once() {
    this.count = 0;
    this.tree(DEPTH, new Random());
    return this.count;
  }

  tree(depth, random) {
    counts.steps++; // tick
    this.count++;
    if (depth === 1) return new Array((random.next() % 10) + 1);
    const branches = new Array(BRANCHES);
    for (let i = 0; i < BRANCHES; i++) branches[i] = this.tree(depth - 1, random);
    return branches;
  }
}
