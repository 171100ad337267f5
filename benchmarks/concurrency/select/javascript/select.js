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

/** The source's next value, with the source. */
async function next(source) {
  const { value } = await source.sender.next();
  return { source, value };
}

async function run(work) {
  let open;
  const gate = new Promise((resolve) => {
    open = resolve;
  });
  const sources = [];
  for (let c = 0; c < work.channels; c++) {
    sources.push({ sender: send(work, gate, c), left: work.values });
  }
  const waiting = new Map(sources.map((source) => [source, next(source)]));
  const startedNs = process.hrtime.bigint(); // all senders have begun
  open();
  let sum = 0;
  while (waiting.size > 0) {
    const { source, value } = await Promise.race(waiting.values());
    sum = (sum + value) | 0;
    counts.selects++; // tick
    waiting.delete(source);
    source.left--;
    if (source.left > 0) waiting.set(source, next(source)); // behind the others
  }
  // A generator ends when it is asked for a value after its last one.
  for (const { sender } of sources) await sender.next();
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
