'use strict';
// Induces collections, each between two monotonic readings that it prints; with `killed` as its
// argument it ends by SIGKILL, with `ended` by SIGTERM. Runs in Node.js and in Bun.

const COLLECTIONS = 5;
const OBJECTS = 200000;

function collector() {
  if (process.versions.bun) return () => globalThis.Bun.gc(true);
  require('v8').setFlagsFromString('--expose-gc');
  return require('vm').runInNewContext('gc');
}

// Bun's hrtime counts from the process's start.
function clock() {
  if (!process.versions.bun) return process.hrtime.bigint;
  const { dlopen, ptr } = require('bun:ffi');
  const { symbols } = dlopen('libc.so.6', {
    clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' },
  });
  const CLOCK_MONOTONIC = 1;
  const time = new BigInt64Array(2);
  return () => {
    symbols.clock_gettime(CLOCK_MONOTONIC, ptr(time));
    return time[0] * 1000000000n + time[1];
  };
}

const collect = collector();
const now = clock();
now();
const kept = Array.from({ length: OBJECTS }, (_, i) => ({ i }));
let left = COLLECTIONS;

function sum(objects) {
  let total = 0;
  for (const object of objects) total += object.i;
  return total;
}

function induce() {
  const before = now();
  collect();
  const after = now();
  console.log(`{"before_ns":${before},"after_ns":${after},"sum":${sum(kept)}}`);
  left -= 1;
  setTimeout(left > 0 ? induce : end, 30);
}

function end() {
  if (process.argv[2] === 'killed') process.kill(process.pid, 'SIGKILL');
  if (process.argv[2] === 'ended') {
    setInterval(() => {}, 1000); // as a server does: nothing but the signal ends it
    process.kill(process.pid, 'SIGTERM');
  }
}

setTimeout(induce, 30);
