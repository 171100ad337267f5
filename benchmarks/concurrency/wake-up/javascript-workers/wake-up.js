// Workers that wake each other: concurrency/wake-up/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';
import { tasksOf, Workers } from '../../javascript/workers.js';
import { Ring } from './ring.js';

const counts = { wakes: 0 };

async function load(options) {
  const seed = Number(BigInt.asIntN(32, BigInt(options.text('seed'))));
  const ring = Ring.of(tasksOf(options), options.recorder('latency').halves);
  const rounds = options.number('rounds');
  const each = Array.from({ length: ring.tasks }, (_, i) => ({ i, rounds, memory: ring.memory }));
  const workers = new Workers(new URL('./worker.js', import.meta.url), each);
  await workers.ready;
  return { seed, ring, workers };
}

function prepare({ seed, ring, workers }) {
  ring.reset(seed);
  return { ring, workers };
}

async function run({ ring, workers }) {
  const ended = workers.run();
  ring.awaitAll();
  ring.wake(0);
  for (const own of await ended) counts.wakes += own.wakes;
  return ring.x;
}

function digest(x) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(0, x).slice(8)}\n`);
  return hash.digest();
}

main({
  name: 'wake-up',
  tier: 'workers',
  maxThreads: 101,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
