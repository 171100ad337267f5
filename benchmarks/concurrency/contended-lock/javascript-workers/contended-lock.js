// Workers that want the same lock: concurrency/contended-lock/contract.md.

import { main, monotonicNs } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';
import { tasksOf, Workers } from '../../javascript/workers.js';

const counts = { locks: 0 };

async function load(options) {
  const seed = BigInt(options.text('seed'));
  const tasks = tasksOf(options);
  const rounds = options.number('rounds');
  const wait = options.recorder('wait').halves;
  const locks = options.recorder('locks');
  // The lock; how many have begun; the sum's and the generator's halves; 1 if the gate is open.
  const words = new Int32Array(new SharedArrayBuffer(4 * 7));
  const startedNs = new Float64Array(new SharedArrayBuffer(8));
  const each = Array.from({ length: tasks }, (_, i) => {
    const own = BigInt.asUintN(64, seed + 1n + BigInt(i));
    return { words, startedNs, own, tasks, rounds, wait };
  });
  const workers = new Workers(new URL('./worker.js', import.meta.url), each);
  await workers.ready;
  return { seed, tasks, rounds, locks, words, startedNs, workers };
}

function prepare(work) {
  const { stateHigh, stateLow } = new SplitMix64(work.seed);
  work.words.set([0, 0, 0, 0, stateHigh, stateLow, 0]);
  return work;
}

async function run({ tasks, rounds, locks, words, startedNs, workers }) {
  for (const own of await workers.run()) counts.locks += own.locks;
  const elapsedNs = monotonicNs() - startedNs[0];
  locks.record(Math.floor((elapsedNs * 1000) / (tasks * rounds)));
  return words;
}

function digest(words) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(words[2], words[3])}\n`);
  return hash.digest();
}

main({
  name: 'contended-lock',
  tier: 'workers',
  maxThreads: 100,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
