// Async functions that wake each other: concurrency/wake-up/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';

const counts = { wakes: 0 };

/** What a task waits for, again and again. */
class Bell {
  constructor() {
    this.reset();
  }

  reset() {
    this.rung = new Promise((resolve) => {
      this.ring = resolve;
    });
  }
}

function load(options) {
  return {
    seed: Number(BigInt.asIntN(32, BigInt(options.text('seed')))),
    tasks: options.number('tasks'),
    rounds: options.number('rounds'),
    latency: options.recorder('latency'),
  };
}

function prepare(work) {
  return { ...work, x: work.seed, sinceNs: 0n };
}

async function run(work) {
  work.bells = Array.from({ length: work.tasks }, () => new Bell());
  const running = work.bells.map((bell, i) => task(work, bell, i));
  wake(work, 0); // all have begun: a call goes on until the task first waits
  await Promise.all(running);
  return work.x;
}

async function task(work, bell, i) {
  for (let round = 0; round < work.rounds; round++) {
    await bell.rung;
    work.latency.record(Number(process.hrtime.bigint() - work.sinceNs));
    bell.reset();
    counts.wakes++; // tick
    work.x = (Math.imul(work.x, 1664525) + i) | 0;
    if (i + 1 < work.tasks || round + 1 < work.rounds) wake(work, (i + 1) % work.tasks);
  }
}

function wake(work, task) {
  work.sinceNs = process.hrtime.bigint();
  work.bells[task].ring();
}

function digest(x) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(0, x).slice(8)}\n`);
  return hash.digest();
}

main({
  name: 'wake-up',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
