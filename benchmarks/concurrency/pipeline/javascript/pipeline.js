// Values through a chain of streams or generators: concurrency/pipeline/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';

const FACTOR = 1664525;
const counts = { hops: 0 };

function load(options) {
  return {
    seed: Number(BigInt.asIntN(32, BigInt(options.text('seed')))),
    stages: options.number('stages'),
    values: options.number('values'),
    capacity: options.number('capacity'),
    chain: options.text('workload') === 'bounded' ? streams : generators,
    hops: options.recorder('hops'),
  };
}

function prepare(task) {
  return task;
}

// ---------------------------------------------------------------- bounded

/** Source and stages, each a stream that holds so many values. */
function streams(task) {
  const { seed, stages, values, capacity } = task;
  let k = 0;
  let chain = new ReadableStream(
    {
      async start() {
        await undefined; // until all streams have been made, and the sink has asked for a value
        task.startedNs = process.hrtime.bigint();
      },
      pull(controller) {
        controller.enqueue((seed + k) | 0);
        k++;
        if (k === values) controller.close();
      },
    },
    new CountQueuingStrategy({ highWaterMark: capacity }),
  );
  for (let number = 1; number <= stages; number++) {
    chain = chain.pipeThrough(streamStage(number, capacity));
  }
  return chain;
}

function streamStage(number, capacity) {
  const readable = new CountQueuingStrategy({ highWaterMark: capacity });
  const writable = new CountQueuingStrategy({ highWaterMark: 1 });
  const transform = (x, controller) => {
    counts.hops++; // tick
    controller.enqueue((Math.imul(x, FACTOR) + number) | 0);
  };
  return new TransformStream({ transform }, writable, readable);
}

// ---------------------------------------------------------------- rendezvous

/** Source and stages, each a generator that goes on when its value has been taken. */
function generators(task) {
  const { stages } = task;
  let chain = source(task);
  for (let number = 1; number <= stages; number++) chain = stage(number, chain);
  return chain;
}

/** Begins last: a generator begins when the next generator, or the sink, asks it for a value. */
async function* source(task) {
  const { seed, values } = task;
  task.startedNs = process.hrtime.bigint();
  for (let k = 0; k < values; k++) yield (seed + k) | 0;
}

async function* stage(number, from) {
  for await (const x of from) {
    counts.hops++; // tick
    yield (Math.imul(x, FACTOR) + number) | 0;
  }
}

// ----------------------------------------------------------------

async function run(task) {
  let sum = 0;
  for await (const x of task.chain(task)) {
    sum = (Math.imul(sum, 31) + x) | 0;
    counts.hops++; // tick
  }
  const elapsedNs = Number(process.hrtime.bigint() - task.startedNs);
  task.hops.record(Math.floor((elapsedNs * 1000) / (task.values * (task.stages + 1))));
  return sum;
}

function digest(sum) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(0, sum).slice(8)}\n`);
  return hash.digest();
}

main({
  name: 'pipeline',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
