// How late a ticker is beside tasks that compute: concurrency/timer-lateness/contract.md.

import { setImmediate } from 'timers/promises';

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';
import { fire, nowNs, Ticker } from './ticker.js';

const counts = { rounds: 0, burners: 0, yields: 0, timers: 0 };

/** A task that computes the exclusive or of numbers. */
class Burner {
  high = 0;
  low = 0;

  constructor(seed) {
    this.random = new SplitMix64(seed);
  }

  async burn(rounds, yieldRounds) {
    counts.burners++; // tick
    let left = rounds;
    for (; left >= yieldRounds; left -= yieldRounds) {
      this.draw(yieldRounds);
      counts.yields++; // tick
      await setImmediate();
    }
    this.draw(left);
    return hexadecimal(this.high, this.low);
  }

  draw(rounds) {
    const { random } = this;
    let { high, low } = this;
    for (let round = 0; round < rounds; round++) {
      random.next();
      high ^= random.high;
      low ^= random.low;
      counts.rounds++; // tick
    }
    this.high = high;
    this.low = low;
  }
}

function load(options) {
  const workload = options.text('workload');
  return {
    seed: BigInt(options.text('seed')),
    burners: options.number('burners'),
    rounds: options.number('rounds'),
    yieldRounds: workload === 'yielding' ? options.number('yield_rounds') : Infinity,
    timers: workload === 'one-shot' ? options.number('timers') : 0, // or there is a ticker
    periodNs: options.number('period_us') * 1000,
    lateness: options.recorder('lateness'),
  };
}

function prepare(task) {
  return task;
}

async function run({ seed, burners, rounds, yieldRounds, timers, periodNs, lateness }) {
  let burning = burners;
  const ticking = [];
  if (timers === 0) ticking.push(new Ticker(periodNs, lateness, () => burning).run());
  const burnt = Array.from({ length: burners }, async (_, burner) => {
    await setImmediate(); // a task of its own
    const state = BigInt.asUintN(64, seed + BigInt(burner));
    const x = await new Burner(state).burn(rounds, yieldRounds);
    burning--;
    return x;
  });
  const timer = async () => {
    lateness.record(await fire(nowNs() + periodNs));
    counts.timers++; // tick
  };
  for (let i = 0; i < timers; i++) ticking.push(timer());
  const [answer] = await Promise.all([Promise.all(burnt), ...ticking]);
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
