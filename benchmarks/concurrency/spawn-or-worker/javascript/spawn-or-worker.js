// A task for each piece of work, or workers: concurrency/spawn-or-worker/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a, hexadecimal, SplitMix64 } from '../../../harness/javascript/primitives.js';

const counts = { rounds: 0, tasks: 0 };

/** Stores the generator's state and so many of its numbers, by exclusive or, as two halves. */
function compute(halves, i, random, rounds) {
  counts.tasks++; // tick
  let high = random.stateHigh;
  let low = random.stateLow;
  for (let round = 0; round < rounds; round++) {
    counts.rounds++; // tick
    random.next();
    high ^= random.high;
    low ^= random.low;
  }
  halves[2 * i] = high;
  halves[2 * i + 1] = low;
}

function load(options) {
  return {
    seed: BigInt(options.text('seed')),
    tasks: options.number('tasks'),
    rounds: options.number('rounds'),
    atOnce: options.number('at_once'), // tasks that are started, or pieces that a stream holds
    workers: options.number('threads'),
    way: options.text('workload') === 'spawn' ? spawn : work,
    recorder: options.recorder('tasks'),
  };
}

function prepare(task) {
  return { ...task, halves: new Int32Array(2 * task.tasks) };
}

function perform({ seed, rounds, halves }, i) {
  compute(halves, i, new SplitMix64(BigInt.asUintN(64, seed + BigInt(i))), rounds);
}

async function spawn(task) {
  for (let first = 0; first < task.tasks; first += task.atOnce) {
    const running = [];
    const last = Math.min(first + task.atOnce, task.tasks);
    for (let i = first; i < last; i++) running.push(one(task, i));
    await Promise.all(running);
  }
}

async function one(task, i) {
  await undefined; // begins as a task of its own
  perform(task, i);
}

async function work(task) {
  let i = 0;
  const pieces = new ReadableStream(
    {
      pull(controller) {
        controller.enqueue(i);
        i++;
        if (i === task.tasks) controller.close();
      },
    },
    new CountQueuingStrategy({ highWaterMark: task.atOnce }),
  ).getReader();
  await Promise.all(Array.from({ length: task.workers }, () => worker(task, pieces)));
}

async function worker(task, pieces) {
  for (let read = await pieces.read(); !read.done; read = await pieces.read()) {
    perform(task, read.value);
  }
}

async function run(task) {
  const startedNs = process.hrtime.bigint();
  await task.way(task);
  const elapsedNs = Number(process.hrtime.bigint() - startedNs);
  task.recorder.record(Math.floor((elapsedNs * 1000) / task.tasks));
  return task.halves;
}

function digest(halves) {
  const hash = new Fnv1a();
  for (let i = 0; i < halves.length; i += 2) {
    hash.latin1(`${hexadecimal(halves[i], halves[i + 1])}\n`);
  }
  return hash.digest();
}

main({
  name: 'spawn-or-worker',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
