import { workerData } from 'worker_threads';

import { SplitMix64 } from '../../../harness/javascript/primitives.js';
import { perform } from '../../javascript/workers.js';

/** The exclusive or of so many numbers. */
function compute(random, rounds, counts) {
  counts.tasks++; // tick
  let high = 0;
  let low = 0;
  for (let round = 0; round < rounds; round++) {
    counts.rounds++; // tick
    random.next();
    high ^= random.high;
    low ^= random.low;
  }
  return { high, low };
}

const { next, halves, rounds, seed } = workerData;
const tasks = halves.length / 2;

perform(() => {
  const counts = { rounds: 0, tasks: 0 };
  for (let task = Atomics.add(next, 0, 1); task < tasks; task = Atomics.add(next, 0, 1)) {
    const random = new SplitMix64(BigInt.asUintN(64, seed + BigInt(task)));
    const x = compute(random, rounds, counts);
    halves[2 * task] = x.high;
    halves[2 * task + 1] = x.low;
  }
  return counts;
});
