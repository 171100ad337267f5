// Takeuchi's function on the lengths of linked lists.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

class Element {
  constructor(next) {
    this.next = next;
  }

  length() {
    counts.steps++; // tick
    return this.next === null ? 1 : 1 + this.next.length();
  }
}

function make(length) {
  return length === 0 ? null : new Element(make(length - 1));
}

function isShorter(one, other) {
  let x = one;
  for (let y = other; y !== null; y = y.next) {
    if (x === null) return true;
    x = x.next;
  }
  return false;
}

function tail(x, y, z) {
  counts.steps++; // tick
  if (!isShorter(y, x)) return z;
  return tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y));
}

export class List extends Benchmark {
  once() {
    return tail(make(15), make(10), make(6)).length();
  }
}
