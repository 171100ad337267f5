'use strict';
// Has this process tell of its collections and compilations in RUNFAIR_EVENTS_FOLDER. Required
// before the program, in every worker as well.

const fs = require('fs');
const path = require('path');
const { PerformanceObserver, performance } = require('perf_hooks');
const { isMainThread, threadId } = require('worker_threads');

const CLOCK_READINGS = 9;

// What to add to performance.now() to have CLOCK_MONOTONIC, which hrtime reads. Of several pairs
// of readings the one taken in the least time is the most exact.
function originNs() {
  let least = null;
  let origin = 0n;
  for (let reading = 0; reading < CLOCK_READINGS; reading++) {
    const before = process.hrtime.bigint();
    const nowNs = BigInt(Math.round(performance.now() * 1e6));
    const after = process.hrtime.bigint();
    if (least === null || after - before < least) {
      least = after - before;
      origin = before + (after - before) / 2n - nowNs;
    }
  }
  return origin;
}

// Written as they are told of, so that none is lost however the process ends.
function watchCollections(folder) {
  const origin = originNs();
  const file = fs.openSync(path.join(folder, `v8-${process.pid}-${threadId}.jsonl`), 'a');
  const write = (entries) => {
    let lines = '';
    for (const entry of entries) {
      const started = origin + BigInt(Math.round(entry.startTime * 1e6));
      const duration = Math.round(entry.duration * 1e6);
      const { kind, flags } = entry.detail || entry;
      lines += `{"started_ns":${started},"duration_ns":${duration},"kind":${kind},"flags":${flags}}\n`;
    }
    if (lines !== '') fs.writeSync(file, lines);
  };
  const observer = new PerformanceObserver((list) => write(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  process.on('exit', () => {
    if (observer.takeRecords) write(observer.takeRecords());
  });
}

// Node keeps trace events in memory and writes them as the process ends by itself, which one ended
// by a signal does not. Where the program does not listen for the signal, they are written first,
// and then the signal takes its usual course.
function traceCompilations() {
  const { createTracing } = require('trace_events');
  const tracing = createTracing({ categories: ['v8', 'disabled-by-default-v8.compile'] });
  tracing.enable();
  for (const signal of ['SIGTERM', 'SIGINT']) listen(signal, () => tracing.disable());
}

// A program may count the listeners of a signal, and end itself if there is no other listener than
// its own (the package signal-exit does). So this module listens only while nobody else does.
function listen(signal, write) {
  function ended() {
    if (process.listenerCount(signal) > 1) return;
    process.off('removeListener', removed);
    process.off(signal, ended);
    write();
    process.kill(process.pid, signal);
  }
  // The new listener is added after this event. Without any listener, Node would stop to handle
  // the signal, so `ended` leaves later.
  function added(name) {
    if (name === signal) process.nextTick(leave);
  }
  function leave() {
    if (process.listenerCount(signal) > 1) process.off(signal, ended);
  }
  function removed(name) {
    if (name === signal && process.listenerCount(signal) === 0) process.on(signal, ended);
  }
  process.on(signal, ended);
  process.on('newListener', added);
  process.on('removeListener', removed);
}

const folder = process.env.RUNFAIR_EVENTS_FOLDER;
if (folder) {
  try {
    watchCollections(folder);
    if (isMainThread) traceCompilations();
  } catch (error) {
    // The program matters more than its events; that there are none is seen afterwards.
    process.stderr.write(`runfair: no events of this process: ${error.message}\n`);
  }
}
