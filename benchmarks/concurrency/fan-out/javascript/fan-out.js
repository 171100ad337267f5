// A tree of async functions: concurrency/fan-out/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';

const counts = { tasks: 0 };

/** A sum modulo 2⁶⁴, in two halves. */
class Sum {
  constructor(high, low) {
    this.high = high;
    this.low = low;
  }

  add({ high, low }) {
    const lower = (this.low >>> 0) + (low >>> 0);
    this.low = lower | 0;
    this.high = (this.high + high + (lower > 0xffffffff ? 1 : 0)) | 0;
  }
}

function load(options) {
  const degree = options.number('degree');
  const depth = options.number('depth');
  let tasks = 1;
  for (let level = 0; level < depth; level++) tasks = tasks * degree + 1;
  const seed = BigInt(options.text('seed'));
  return { seed, degree, depth, tasks, recorder: options.recorder('tasks') };
}

function prepare(work) {
  return work;
}

async function run(work) {
  const startedNs = process.hrtime.bigint();
  const sum = await grow(work, 0, work.depth);
  const elapsedNs = Number(process.hrtime.bigint() - startedNs);
  work.recorder.record(Math.floor((elapsedNs * 1000) / work.tasks));
  return sum;
}

/** Task i. */
async function grow(work, i, levels) {
  await undefined; // begins as a task of its own
  const random = new SplitMix64(BigInt.asUintN(64, work.seed + BigInt(i)));
  random.next();
  counts.tasks++; // tick
  const sum = new Sum(random.high, random.low);
  if (levels > 0) {
    const children = [];
    for (let n = 1; n <= work.degree; n++) {
      children.push(grow(work, i * work.degree + n, levels - 1));
    }
    for (const child of await Promise.all(children)) sum.add(child);
  }
  return sum;
}

function digest({ high, low }) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(high, low)}\n`);
  return hash.digest();
}

main({
  name: 'fan-out',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
