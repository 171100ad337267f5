import { workerData } from 'worker_threads';

import { monotonicNs } from '../../../harness/javascript/harness.js';
import { SplitMix64 } from '../../../harness/javascript/primitives.js';
import { addSample } from '../../../harness/javascript/recorder.js';
import { perform } from '../../javascript/workers.js';

const { next, endNs, seed, tasks, pauseMs, lateness } = workerData;
const never = new Int32Array(new SharedArrayBuffer(4)); // nobody notifies who waits for it

perform(() => {
  const own = { sum: 0n, calls: 0 };
  for (let task = Atomics.add(next, 0, 1); task < tasks; task = Atomics.add(next, 0, 1)) {
    Atomics.wait(never, 0, 0, pauseMs);
    addSample(lateness, monotonicNs() - endNs[0]);
    const random = new SplitMix64(BigInt.asUintN(64, seed + BigInt(task)));
    own.sum += BigInt(`0x${random.hexadecimal()}`);
    own.calls++; // tick
  }
  return own;
});
