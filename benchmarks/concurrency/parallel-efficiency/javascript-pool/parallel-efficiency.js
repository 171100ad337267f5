// Independent tasks, taken by workers: concurrency/parallel-efficiency/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';
import { Workers } from '../../javascript/workers.js';

const MAX_THREADS = 64;
const counts = { rounds: 0, tasks: 0 };

async function load(options) {
  const shared = {
    next: new Int32Array(new SharedArrayBuffer(4)), // the task that is taken next
    // Of each task's result the upper 32 bits, then the lower.
    halves: new Int32Array(new SharedArrayBuffer(8 * options.number('tasks'))),
    rounds: options.number('rounds'),
    seed: BigInt(options.text('seed')),
  };
  const threads = Math.min(options.number('threads'), MAX_THREADS);
  const workers = new Workers(new URL('./worker.js', import.meta.url), Array(threads).fill(shared));
  await workers.ready;
  return { shared, workers };
}

function prepare(work) {
  work.shared.next[0] = 0;
  work.shared.halves.fill(0);
  return work;
}

async function run({ shared, workers }) {
  for (const own of await workers.run()) {
    counts.rounds += own.rounds;
    counts.tasks += own.tasks;
  }
  return shared.halves;
}

function digest(halves) {
  const hash = new Fnv1a();
  for (let i = 0; i < halves.length; i += 2) {
    hash.latin1(`${hexadecimal(halves[i], halves[i + 1])}\n`);
  }
  return hash.digest();
}

main({
  name: 'parallel-efficiency',
  tier: 'pool',
  maxThreads: MAX_THREADS,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
