// Async functions that take turns from one supply: concurrency/fairness/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';

const counts = { tasks: 0, turns: 0 };

/** What a task has done; its sum is modulo 2⁶⁴, in two halves. */
class Share {
  high = 0;
  low = 0;
  turns = 0;

  add({ high, low }) {
    const lower = (this.low >>> 0) + (low >>> 0);
    this.low = lower | 0;
    this.high = (this.high + high + (lower > 0xffffffff ? 1 : 0)) | 0;
  }
}

function load(options) {
  return {
    seed: BigInt(options.text('seed')),
    tasks: options.number('tasks'),
    turns: options.number('turns'),
    turnNs: BigInt(options.number('turn_us') * 1000),
    index: options.recorder('index'),
  };
}

function prepare(work) {
  return { ...work, supply: 0, shares: Array.from({ length: work.tasks }, () => new Share()) };
}

/** The first number of the generator whose state begins so far behind the seed. */
function first({ seed }, offset) {
  const random = new SplitMix64(BigInt.asUintN(64, seed + BigInt(offset)));
  random.next();
  return random;
}

async function run(work) {
  let open;
  const gate = new Promise((resolve) => {
    open = resolve;
  });
  const running = work.shares.map((share, i) => spin(work, i, share, gate)); // as far as the gate
  open();
  await Promise.all(running);
  work.index.record(jain(work.shares));
  return work.shares;
}

async function spin(work, i, share, gate) {
  await gate;
  share.add(first(work, i));
  counts.tasks++; // tick
  for (let k = work.supply++; k < work.turns; k = work.supply++) {
    const endNs = process.hrtime.bigint() + work.turnNs;
    const y = first(work, work.tasks + k);
    counts.turns++; // tick
    while (process.hrtime.bigint() < endNs);
    share.add(y);
    share.turns++;
  }
}

/** Jain's index of the turns, in thousandths. */
function jain(shares) {
  let sum = 0;
  let squares = 0;
  for (const { turns } of shares) {
    sum += turns;
    squares += turns * turns;
  }
  return Math.floor((1000 * sum * sum) / (shares.length * squares));
}

function digest(shares) {
  const sum = new Share();
  for (const share of shares) sum.add(share);
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(sum.high, sum.low)}\n`);
  return hash.digest();
}

main({
  name: 'fairness',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
