// The same work at the ends of different call paths: under recursion, in the handler of an
// exception, in functions that V8's built-in functions and C++ call, in a constructor, in a
// generator, in an asynchronous function, under many callers, and in a worker thread.
const { Worker, isMainThread, workerData } = require('node:worker_threads');

const ROUNDS = 400;
const STEPS = 9_000;
// Rounds differ in length, because periodic samples could otherwise hit the same path in every
// round.
const LENGTHS = 17;
const STEP = 311;

function work(at) {
  let total = 0;
  const steps = STEPS + (at % LENGTHS) * STEP;
  for (let step = 0; step < steps; step++) total = (total + step * step) % 1_000_003;
  return total;
}

function recursive(depth, at) {
  return depth === 0 ? work(at) : recursive(depth - 1, at);
}

function deep(depth, at) {
  return depth === 0 ? work(at) : deep(depth - 1, at);
}

function failing() {
  throw new RangeError('planned');
}

function handling(at) {
  try {
    failing();
  } catch {
    work(at);
  }
}

function called(at) {
  return work(at);
}

function callingBack(at) {
  [at].forEach(called);
}

function converted() {
  return work(this.at);
}

function convertingInC(at) {
  JSON.stringify({ at, toJSON: converted });
}

class Made {
  constructor(at) {
    this.total = work(at);
  }
}

function making(at) {
  return new Made(at);
}

function* generated(at) {
  yield work(at);
}

function consuming(at) {
  for (const total of generated(at)) if (total < 0) return;
}

async function waiting(at) {
  await null;
  work(at);
}

// The worker works once in each round, while the main thread waits: if the processor is slower for a
// while, it is slower for all paths.
const TURN = 0;
const OF_MAIN = 0;
const OF_WORKER = 1;

function pass(turns, next) {
  Atomics.store(turns, TURN, next);
  Atomics.notify(turns, TURN);
}

async function main(turns) {
  for (let at = 0; at < ROUNDS; at++) {
    pass(turns, OF_WORKER);
    Atomics.wait(turns, TURN, OF_WORKER);
    recursive(3, at);
    deep(100, at);
    handling(at);
    callingBack(at);
    convertingInC(at);
    making(at);
    consuming(at);
    await waiting(at);
  }
}

function threaded(turns) {
  for (let at = 0; at < ROUNDS; at++) {
    Atomics.wait(turns, TURN, OF_MAIN);
    work(at);
    pass(turns, OF_MAIN);
  }
}

if (isMainThread) {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  new Worker(__filename, { workerData: turns });
  main(turns);
} else {
  threaded(workerData);
}
