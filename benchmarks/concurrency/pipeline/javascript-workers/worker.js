import { workerData } from 'worker_threads';

import { monotonicNs } from '../../../harness/javascript/harness.js';
import { perform } from '../../javascript/workers.js';
import { Latch } from './latch.js';
import { Ring } from './ring.js';

const { number, values, seed } = workerData;
const beginning = new Latch(workerData.beginning);
const from = workerData.from && new Ring(workerData.from);
const to = new Ring(workerData.to);

function source() {
  beginning.wait();
  const startedNs = monotonicNs();
  for (let k = 0; k < values; k++) to.send((seed + k) | 0);
  return { hops: 0, startedNs };
}

function stage() {
  const counts = { hops: 0 };
  beginning.countDown();
  for (let k = 0; k < values; k++) {
    const x = from.receive();
    counts.hops++; // tick
    to.send((Math.imul(x, 1664525) + number) | 0);
  }
  return counts;
}

perform(from ? stage : source);
