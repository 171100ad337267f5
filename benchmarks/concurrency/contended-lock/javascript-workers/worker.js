import { workerData } from 'worker_threads';

import { monotonicNs } from '../../../harness/javascript/harness.js';
import { SplitMix64 } from '../../../harness/javascript/primitives.js';
import { addSample } from '../../../harness/javascript/recorder.js';
import { perform } from '../../javascript/workers.js';
import { Lock } from './lock.js';

const { words, startedNs, own, tasks, rounds, wait } = workerData;
const lock = new Lock(words, 0);

perform(() => {
  const counts = { locks: 0 };
  const random = new SplitMix64(own);
  const shared = new SplitMix64(0n);
  awaitAll();
  for (let round = 0; round < rounds; round++) {
    const askedNs = monotonicNs();
    lock.acquire();
    const nowNs = monotonicNs();
    shared.stateHigh = words[4];
    shared.stateLow = words[5];
    shared.next();
    words[4] = shared.stateHigh;
    words[5] = shared.stateLow;
    add(shared);
    random.next();
    add(random);
    counts.locks++; // tick
    lock.release();
    addSample(wait, nowNs - askedNs);
  }
  return counts;
});

/** Waits until all tasks have begun: the last starts the clock and opens the gate. */
function awaitAll() {
  if (Atomics.add(words, 1, 1) + 1 === tasks) {
    startedNs[0] = monotonicNs();
    Atomics.store(words, 6, 1);
    Atomics.notify(words, 6);
  }
  while (Atomics.load(words, 6) === 0) Atomics.wait(words, 6, 0);
}

/** Adds the number that the generator drew last to the sum, modulo 2⁶⁴. */
function add({ high, low }) {
  const lower = (words[3] >>> 0) + (low >>> 0);
  words[3] = lower;
  words[2] += high + (lower > 0xffffffff ? 1 : 0);
}
