import { workerData } from 'worker_threads';

import { perform } from '../../javascript/workers.js';
import { Ring } from './ring.js';

const { number, values, seed } = workerData;
const from = workerData.from && new Ring(workerData.from);
const to = new Ring(workerData.to);

function source() {
  for (let k = 0; k < values; k++) to.send((seed + k) | 0);
}

function stage(counts) {
  for (let k = 0; k < values; k++) {
    const x = from.receive();
    counts.hops++; // tick
    to.send((Math.imul(x, 1664525) + number) | 0);
  }
}

perform(() => {
  const counts = { hops: 0 };
  if (from) stage(counts);
  else source();
  return counts;
});
