// A tree of async functions that is aborted: concurrency/cancellation/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';

const counts = { tasks: 0 };

function load(options) {
  const degree = options.number('degree');
  const depth = options.number('depth');
  const seed = BigInt(options.text('seed'));
  return { seed, degree, depth, latency: options.recorder('latency') };
}

function prepare(work) {
  return { ...work, cancelledNs: 0n, high: 0, low: 0 };
}

async function run(work) {
  const root = start(work, 0, work.depth); // and with it the tree: each runs to its `await` at once
  work.cancelledNs = process.hrtime.bigint();
  root.controller.abort();
  await root.ended;
  return work;
}

function start(work, i, levels) {
  const controller = new AbortController();
  return { controller, ended: task(work, i, levels, controller.signal) };
}

async function task(work, i, levels, signal) {
  const children = [];
  for (let n = 1; levels > 0 && n <= work.degree; n++) {
    children.push(start(work, i * work.degree + n, levels - 1));
  }
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
  work.latency.record(Number(process.hrtime.bigint() - work.cancelledNs));
  add(work, i);
  for (const { controller } of children) controller.abort();
  await Promise.all(children.map(({ ended }) => ended));
}

/** Adds a task's number to the sum, which is modulo 2⁶⁴, in two halves. */
function add(work, i) {
  const random = new SplitMix64(BigInt.asUintN(64, work.seed + BigInt(i)));
  random.next();
  const lower = (work.low >>> 0) + (random.low >>> 0);
  work.low = lower | 0;
  work.high = (work.high + random.high + (lower > 0xffffffff ? 1 : 0)) | 0;
  counts.tasks++; // tick
}

function digest({ high, low }) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(high, low)}\n`);
  return hash.digest();
}

main({
  name: 'cancellation',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
