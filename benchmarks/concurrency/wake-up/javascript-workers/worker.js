import { workerData } from 'worker_threads';

import { perform } from '../../javascript/workers.js';
import { Ring } from './ring.js';

const { i, rounds } = workerData;
const ring = new Ring(workerData.memory);

perform(() => {
  const counts = { wakes: 0 };
  ring.begin();
  for (let round = 0; round < rounds; round++) {
    ring.awaitWake(i);
    counts.wakes++; // tick
    if (i + 1 < ring.tasks || round + 1 < rounds) ring.wake((i + 1) % ring.tasks);
  }
  return counts;
});
