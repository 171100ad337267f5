// Values from whichever of many generators has one: concurrency/select/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';

const counts = { selects: 0 };

function load(options) {
  return {
    seed: Number(BigInt.asIntN(32, BigInt(options.text('seed')))),
    channels: options.number('channels'),
    values: options.number('values'),
    selects: options.recorder('selects'),
  };
}

function prepare(work) {
  return work;
}

/** A sender: begins when it is first asked for a value, and sends when the gate is open. */
async function* send({ seed, values }, gate, c) {
  await gate;
  let x = (seed + c) | 0;
  for (let k = 0; k < values; k++) {
    x = (Math.imul(x, 1664525) + c) | 0;
    yield x;
  }
}

/** The sender's next value, with the sender. */
async function next(c, sender) {
  const { value, done } = await sender.next();
  return { c, sender, value, done };
}

async function run(work) {
  let open;
  const gate = new Promise((resolve) => {
    open = resolve;
  });
  const waiting = new Map();
  for (let c = 0; c < work.channels; c++) waiting.set(c, next(c, send(work, gate, c)));
  const startedNs = process.hrtime.bigint(); // all senders have begun
  open();
  let sum = 0;
  while (waiting.size > 0) {
    const { c, sender, value, done } = await Promise.race(waiting.values());
    waiting.delete(c);
    if (!done) {
      sum = (sum + value) | 0;
      counts.selects++; // tick
      waiting.set(c, next(c, sender)); // behind the others
    }
  }
  const elapsedNs = Number(process.hrtime.bigint() - startedNs);
  work.selects.record(Math.floor((elapsedNs * 1000) / (work.channels * work.values)));
  return sum;
}

function digest(sum) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(0, sum).slice(8)}\n`);
  return hash.digest();
}

main({
  name: 'select',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
