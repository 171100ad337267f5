// How late a ticker is beside tasks that compute: concurrency/timer-lateness/contract.md.

import { setImmediate } from 'timers/promises';

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';
import { Ticker } from './ticker.js';

const counts = { rounds: 0, burners: 0 };

/** The exclusive or of so many numbers. */
function burn(random, rounds) {
  counts.burners++; // tick
  let high = 0;
  let low = 0;
  for (let round = 0; round < rounds; round++) {
    random.next();
    high ^= random.high;
    low ^= random.low;
    counts.rounds++; // tick
  }
  return hexadecimal(high, low);
}

function load(options) {
  return {
    seed: BigInt(options.text('seed')),
    burners: options.number('burners'),
    rounds: options.number('rounds'),
    periodNs: options.number('period_us') * 1000,
    lateness: options.recorder('lateness'),
  };
}

function prepare(task) {
  return task;
}

async function run({ seed, burners, rounds, periodNs, lateness }) {
  let burning = burners;
  const ticking = new Ticker(periodNs, lateness, () => burning).run();
  const burnt = Array.from({ length: burners }, async (_, burner) => {
    await setImmediate(); // a task of its own
    const x = burn(new SplitMix64(BigInt.asUintN(64, seed + BigInt(burner))), rounds);
    burning--;
    return x;
  });
  const [answer] = await Promise.all([Promise.all(burnt), ticking]);
  return answer;
}

function digest(answer) {
  const hash = new Fnv1a();
  for (const x of answer) hash.latin1(`${x}\n`);
  return hash.digest();
}

main({
  name: 'timer-lateness',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
