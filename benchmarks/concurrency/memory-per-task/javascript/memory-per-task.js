// The memory of async functions that wait: concurrency/memory-per-task/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';
import { residentBytes } from '../../javascript/resident.js';

const counts = { tasks: 0 };

/** What the tasks add to. */
class Sum {
  high = 0;
  low = 0;

  add(high, low) {
    const lower = (this.low >>> 0) + (low >>> 0);
    this.low = lower | 0;
    this.high = (this.high + high + (lower > 0xffffffff ? 1 : 0)) | 0;
    counts.tasks++; // tick
  }
}

function load(options) {
  return {
    seed: BigInt(options.text('seed')),
    tasks: options.number('tasks'),
    bytes: options.recorder('bytes'),
  };
}

function prepare(work) {
  return work;
}

async function run({ seed, tasks, bytes }) {
  let open;
  const gate = new Promise((resolve) => {
    open = resolve;
  });
  const sum = new Sum();
  let begun = 0;
  const task = async (i) => {
    const random = new SplitMix64(BigInt.asUintN(64, seed + BigInt(i)));
    random.next();
    const { high, low } = random;
    begun++;
    await gate;
    sum.add(high, low);
  };
  const before = residentBytes();
  const running = [];
  for (let i = 0; i < tasks; i++) running.push(task(i)); // runs to its `await` at once
  if (begun !== tasks) throw new Error(`${begun} tasks have begun`);
  const after = residentBytes();
  open();
  await Promise.all(running);
  bytes.record(Math.floor((after - before) / tasks));
  return sum;
}

function digest({ high, low }) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(high, low)}\n`);
  return hash.digest();
}

main({
  name: 'memory-per-task',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
