// The contract's pseudocode as functions over the array, in the JavaScript of 2017:
// langbench/sort/contract.md.

import { main } from '../../../../harness/javascript/harness.js';
import { Fnv1a, SplitMix64 } from '../../../../harness/javascript/primitives.js';

const counts = { comparisons: 0, swaps: 0 };

function sort(x, lo, hi) {
  if (hi - lo <= 1) return;
  const middle = lo + Math.floor((hi - lo) / 2);
  let work = lo + hi - middle;
  sortInto(x, lo, middle, work);
  while (work - lo > 2) {
    const end = work;
    work = lo + Math.floor((end - lo + 1) / 2);
    sortInto(x, work, end, lo);
    merge(x, lo, lo + end - work, end, hi, work);
  }
  for (let next = work; next > lo; next--) {
    let at = next;
    while (at < hi && less(x, at, at - 1)) {
      swap(x, at, at - 1);
      at++;
    }
  }
}

function sortInto(x, lo, hi, work) {
  if (hi - lo > 1) {
    const middle = lo + Math.floor((hi - lo) / 2);
    sort(x, lo, middle);
    sort(x, middle, hi);
    merge(x, lo, middle, middle, hi, work);
  } else if (lo < hi) {
    swap(x, lo, work);
  }
}

function merge(x, a, aEnd, b, bEnd, work) {
  while (a < aEnd && b < bEnd) {
    if (less(x, a, b)) {
      swap(x, work, a);
      a++;
    } else {
      swap(x, work, b);
      b++;
    }
    work++;
  }
  while (a < aEnd) {
    swap(x, work, a);
    a++;
    work++;
  }
  while (b < bEnd) {
    swap(x, work, b);
    b++;
    work++;
  }
}

function less(x, p, q) {
  counts.comparisons++; // tick
  return x[p] < x[q];
}

function swap(x, i, j) {
  counts.swaps++; // tick
  const word = x[i];
  x[i] = x[j];
  x[j] = word;
}

function load(options) {
  const workload = options.text('workload');
  const letters = options.number('letters');
  const length = options.number('length');
  const count = letters ** length;
  const random = new SplitMix64(BigInt(options.text('seed')));
  const words = [];
  for (let p = 0; p < count; p++) {
    let number = p;
    if (workload === 'classic') number = count - 1 - p;
    if (workload === 'duplicates') number = random.bounded(Math.min(64, count));
    words.push(word(number, letters, length));
  }
  if (workload === 'shuffled') random.shuffle(words);
  return words;
}

/** The number in base `letters`, most significant digit first. */
function word(number, letters, length) {
  const codes = new Array(length);
  for (let place = length - 1; place >= 0; place--) {
    codes[place] = 97 + (number % letters);
    number = Math.floor(number / letters);
  }
  return String.fromCharCode(...codes);
}

function prepare(words) {
  return words.slice();
}

function run(words) {
  sort(words, 0, words.length);
  return words;
}

function digest(words) {
  const hash = new Fnv1a();
  for (const text of words) hash.latin1(`${text}\n`);
  return hash.digest();
}

main({
  name: 'sort',
  tier: 'plain',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
