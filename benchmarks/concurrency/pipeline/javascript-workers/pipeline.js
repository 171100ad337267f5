// Values through a chain of workers: concurrency/pipeline/contract.md.

import { main, UsageError } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal } from '../../../harness/javascript/primitives.js';
import { Workers } from '../../javascript/workers.js';
import { Ring } from './ring.js';

const MOST_STAGES = 62;
const counts = { hops: 0 };

async function load(options) {
  const stages = options.number('stages');
  const values = options.number('values');
  if (stages > MOST_STAGES) {
    throw new UsageError(`stages=${stages} are too many workers; ask for ${MOST_STAGES} at most`);
  }
  const seed = Number(BigInt.asIntN(32, BigInt(options.text('seed'))));
  const rings = Array.from({ length: stages + 1 }, () => new Ring());
  const each = rings.map(({ memory }, number) => {
    return { number, values, seed, from: rings[number - 1]?.memory, to: memory };
  });
  const workers = new Workers(new URL('./worker.js', import.meta.url), each);
  await workers.ready;
  return { stages, values, workers, last: rings[stages], hops: options.recorder('hops') };
}

function prepare(pipeline) {
  return pipeline;
}

async function run({ stages, values, workers, last, hops }) {
  const startedNs = process.hrtime.bigint();
  const ended = workers.run();
  let sum = 0;
  for (let k = 0; k < values; k++) {
    sum = (Math.imul(sum, 31) + last.receive()) | 0;
    counts.hops++; // tick
  }
  const told = await ended;
  const elapsedNs = Number(process.hrtime.bigint() - startedNs);
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
