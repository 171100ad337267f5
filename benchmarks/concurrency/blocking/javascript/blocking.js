// Async functions that block their thread: concurrency/blocking/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';

const counts = { calls: 0 };
const never = new Int32Array(new SharedArrayBuffer(4)); // nobody notifies who waits for it

/** What the tasks add to, modulo 2⁶⁴, in two halves. */
class Sum {
  high = 0;
  low = 0;

  add(high, low) {
    const lower = (this.low >>> 0) + (low >>> 0);
    this.low = lower | 0;
    this.high = (this.high + high + (lower > 0xffffffff ? 1 : 0)) | 0;
    counts.calls++; // tick
  }
}

function load(options) {
  return {
    seed: BigInt(options.text('seed')),
    tasks: options.number('tasks'),
    pauseMs: options.number('pause_ms'),
    lateness: options.recorder('lateness'),
  };
}

function prepare(work) {
  return work;
}

async function run({ seed, tasks, pauseMs, lateness }) {
  const endNs = process.hrtime.bigint() + BigInt(pauseMs) * 1000000n;
  const sum = new Sum();
  const task = async (i) => {
    await undefined; // begins as a task of its own
    Atomics.wait(never, 0, 0, pauseMs);
    lateness.record(Number(process.hrtime.bigint() - endNs));
    const random = new SplitMix64(BigInt.asUintN(64, seed + BigInt(i)));
    random.next();
    sum.add(random.high, random.low);
  };
  await Promise.all(Array.from({ length: tasks }, (_, i) => task(i)));
  return sum;
}

function digest({ high, low }) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(high, low)}\n`);
  return hash.digest();
}

main({
  name: 'blocking',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
