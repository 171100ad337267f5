// The memory of workers that wait: concurrency/memory-per-task/contract.md.

import { once } from 'events';
import { Worker } from 'worker_threads';

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../harness/javascript/primitives.js';
import { residentBytes } from '../../javascript/resident.js';
import { tasksOf } from '../../javascript/workers.js';

const MOST_TASKS = 64;
const counts = { tasks: 0 };

function load(options) {
  return {
    seed: BigInt(options.text('seed')),
    tasks: tasksOf(options, MOST_TASKS),
    bytes: options.recorder('bytes'),
  };
}

function prepare({ seed, tasks, bytes }) {
  const gate = new Int32Array(new SharedArrayBuffer(4)); // 1 if it is open
  const sum = new BigUint64Array(new SharedArrayBuffer(8));
  return { seed, tasks, bytes, gate, sum };
}

async function run({ seed, tasks, bytes, gate, sum }) {
  const before = residentBytes();
  const running = [];
  for (let i = 0; i < tasks; i++) running.push(new Task({ seed, i, gate, sum }));
  for (const task of running) await task.begun;
  const after = residentBytes();
  const ended = running.map((task) => task.ended());
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (const own of await Promise.all(ended)) counts.tasks += own.tasks;
  bytes.record(Math.floor((after - before) / tasks));
  return sum[0];
}

/** A worker that computes its number, waits at the gate, and adds the number to the sum. */
class Task {
  constructor(workerData) {
    // Its output is not the program's, as in the harness's recorder.js.
    const options = { stdout: true, stderr: true, workerData };
    this.worker = new Worker(new URL('./worker.js', import.meta.url), options);
    this.begun = once(this.worker, 'message');
  }

  /** What it counted, when its thread has ended. */
  async ended() {
    const [[counted]] = await Promise.all([
      once(this.worker, 'message'),
      once(this.worker, 'exit'),
    ]);
    return counted;
  }
}

function digest(sum) {
  const hash = new Fnv1a();
  hash.latin1(`${sum.toString(16).padStart(16, '0')}\n`);
  return hash.digest();
}

main({
  name: 'memory-per-task',
  tier: 'workers',
  maxThreads: MOST_TASKS + 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
