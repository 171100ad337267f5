// Independent tasks, taken by workers: concurrency/parallel-efficiency/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';
import { Pool } from './pool.js';

const counts = { rounds: 0, tasks: 0 };

async function load(options) {
  const seed = BigInt(options.text('seed'));
  const threads = Math.min(options.number('threads'), MAX_THREADS);
  const pool = new Pool(threads, options.number('tasks'), options.number('rounds'), seed);
  await pool.ready;
  return pool;
}

function prepare(pool) {
  pool.reset();
  return pool;
}

async function run(pool) {
  for (const own of await pool.run()) {
    counts.rounds += own.rounds;
    counts.tasks += own.tasks;
  }
  return pool.halves;
}

function digest(halves) {
  const hash = new Fnv1a();
  for (let i = 0; i < halves.length; i += 2) {
    hash.latin1(`${hexadecimal(halves[i], halves[i + 1])}\n`);
  }
  return hash.digest();
}

const MAX_THREADS = 64;

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
