import { parentPort, workerData } from 'worker_threads';

import { SplitMix64 } from '../../../harness/javascript/primitives.js';

const { seed, i, gate, sum } = workerData;
const counts = { tasks: 0 };
const random = new SplitMix64(BigInt.asUintN(64, seed + BigInt(i)));
random.next();
const x = (BigInt(random.high >>> 0) << 32n) | BigInt(random.low >>> 0);
parentPort.postMessage('begun');
while (Atomics.load(gate, 0) === 0) Atomics.wait(gate, 0, 0);
Atomics.add(sum, 0, x);
counts.tasks++; // tick
parentPort.postMessage(counts);
