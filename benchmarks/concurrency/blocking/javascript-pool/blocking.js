// Calls that block workers: concurrency/blocking/contract.md.

import { main, monotonicNs } from '../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../harness/javascript/primitives.js';
import { Workers } from '../../javascript/workers.js';

const MAX_THREADS = 64;
const counts = { calls: 0 };

async function load(options) {
  const shared = {
    next: new Int32Array(new SharedArrayBuffer(4)), // the task that is taken next
    endNs: new Float64Array(new SharedArrayBuffer(8)), // when a call could have returned
    seed: BigInt(options.text('seed')),
    tasks: options.number('tasks'),
    pauseMs: options.number('pause_ms'),
    lateness: options.recorder('lateness').halves,
  };
  const threads = Math.min(options.number('threads'), MAX_THREADS);
  const workers = new Workers(new URL('./worker.js', import.meta.url), Array(threads).fill(shared));
  await workers.ready;
  return { shared, workers };
}

function prepare(work) {
  work.shared.next[0] = 0;
  return work;
}

async function run({ shared, workers }) {
  shared.endNs[0] = monotonicNs() + shared.pauseMs * 1e6;
  let sum = 0n;
  for (const own of await workers.run()) {
    sum += own.sum;
    counts.calls += own.calls;
  }
  return BigInt.asUintN(64, sum);
}

function digest(sum) {
  const hash = new Fnv1a();
  hash.latin1(`${sum.toString(16).padStart(16, '0')}\n`);
  return hash.digest();
}

main({
  name: 'blocking',
  tier: 'pool',
  maxThreads: MAX_THREADS,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
