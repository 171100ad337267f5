// In-place merge sort of strings by swaps alone: langbench/sort/contract.md.

import { main, UsageError } from '../../../harness/javascript/harness.js';
import { Fnv1a, SplitMix64 } from '../../../harness/javascript/primitives.js';

const LETTER_A = 97;
const DUPLICATES = 64; // different words of the workload `duplicates`

const counts = { comparisons: 0, swaps: 0 };

class Sorter {
  constructor(words) {
    this.words = words;
  }

  sort(lo, hi) {
    const x = this.words;
    if (hi - lo > 1) {
      const middle = lo + ((hi - lo) >>> 1);
      let work = lo + hi - middle;
      this.sortInto(lo, middle, work);
      while (work - lo > 2) {
        const end = work;
        work = lo + ((end - lo + 1) >>> 1);
        this.sortInto(work, end, lo);
        this.merge(lo, lo + end - work, end, hi, work);
      }
      for (let next = work; next > lo; next--) {
        for (let at = next; at < hi && this.less(x[at], x[at - 1]); at++) this.swap(at, at - 1);
      }
    }
  }

  /** Sorts words [lo, hi) into [work, work + hi - lo). */
  sortInto(lo, hi, work) {
    if (hi - lo > 1) {
      const middle = lo + ((hi - lo) >>> 1);
      this.sort(lo, middle);
      this.sort(middle, hi);
      this.merge(lo, middle, middle, hi, work);
    } else if (lo < hi) {
      this.swap(lo, work);
    }
  }

  merge(a, aEnd, b, bEnd, work) {
    const x = this.words;
    while (a < aEnd && b < bEnd) {
      if (this.less(x[a], x[b])) this.swap(work++, a++);
      else this.swap(work++, b++);
    }
    while (a < aEnd) this.swap(work++, a++);
    while (b < bEnd) this.swap(work++, b++);
  }

  less(p, q) {
    counts.comparisons++; // tick
    return p < q;
  }

  swap(i, j) {
    counts.swaps++; // tick
    const x = this.words;
    const word = x[i];
    x[i] = x[j];
    x[j] = word;
  }
}

function load(options) {
  const workload = options.text('workload');
  const [letters, length] = [options.number('letters'), options.number('length')];
  const n = letters ** length;
  if (n >= 2 ** 32) {
    throw new UsageError(
      `${letters} letters and length ${length} make ${n} words; take fewer than ${2 ** 32}`,
    );
  }
  const random = new SplitMix64(BigInt(options.text('seed')));
  const words = [];
  for (let p = 0; p < n; p++) {
    if (workload === 'classic') words.push(word(n - 1 - p, letters, length));
    else if (workload === 'shuffled') words.push(word(p, letters, length));
    else words.push(word(random.bounded(Math.min(DUPLICATES, n)), letters, length));
  }
  if (workload === 'shuffled') random.shuffle(words);
  return words;
}

/** The word of that number: its digits in base `letters`, most significant first. */
function word(number, letters, length) {
  const codes = [];
  for (let digit = 0; digit < length; digit++) {
    codes.push(LETTER_A + (number % letters));
    number = Math.floor(number / letters);
  }
  return String.fromCharCode(...codes.reverse());
}

function prepare(words) {
  return words.slice();
}

function run(words) {
  new Sorter(words).sort(0, words.length);
  return words;
}

function digest(words) {
  const hash = new Fnv1a();
  for (const sorted of words) {
    hash.latin1(sorted);
    hash.latin1('\n');
  }
  return hash.digest();
}

main({
  name: 'sort',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
