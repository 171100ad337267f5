// Values through a chain of workers: concurrency/pipeline/contract.md.

import { main, monotonicNs, UsageError } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';
import { Workers } from '../../javascript/workers.js';
import { Latch } from './latch.js';
import { Ring } from './ring.js';

const MOST_STAGES = 62;
const counts = { hops: 0 };

async function load(options) {
  const stages = options.number('stages');
  const values = options.number('values');
  const capacity = options.number('capacity');
  if (stages > MOST_STAGES) {
    throw new UsageError(`stages=${stages} are too many workers; ask for ${MOST_STAGES} at most`);
  }
  const seed = Number(BigInt.asIntN(32, BigInt(options.text('seed'))));
  const rings = Array.from({ length: stages + 1 }, () => Ring.ofCapacity(capacity));
  const beginning = new Latch();
  const each = rings.map(({ memory: to }, number) => {
    const from = rings[number - 1]?.memory;
    return { number, values, seed, beginning: beginning.memory, from, to };
  });
  const workers = new Workers(new URL('./worker.js', import.meta.url), each);
  await workers.ready;
  const hops = options.recorder('hops');
  return { stages, values, beginning, workers, last: rings[stages], hops };
}

function prepare(pipeline) {
  pipeline.beginning.reset(pipeline.stages + 1); // the stages and the sink
  return pipeline;
}

async function run({ stages, values, beginning, workers, last, hops }) {
  const ended = workers.run();
  beginning.countDown();
  let sum = 0;
  for (let k = 0; k < values; k++) {
    sum = (Math.imul(sum, 31) + last.receive()) | 0;
    counts.hops++; // tick
  }
  const endedNs = monotonicNs();
  const told = await ended;
  const elapsedNs = endedNs - told[0].startedNs;
  hops.record(Math.floor((elapsedNs * 1000) / (values * (stages + 1))));
  for (const own of told) counts.hops += own.hops;
  return sum;
}

function digest(sum) {
  const hash = new Fnv1a();
  hash.latin1(`${hexadecimal(0, sum).slice(8)}\n`);
  return hash.digest();
}

main({
  name: 'pipeline',
  tier: 'workers',
  maxThreads: MOST_STAGES + 2,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
