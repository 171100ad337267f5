// Brings the probe into a Node process and its worker threads, before the program begins. If this
// fails, the program runs without the probe.
"use strict";

const { readFileSync } = require("node:fs");
const { signals } = require("node:os").constants;
const { isMainThread } = require("node:worker_threads");
const { follow } = require("./runfair_workers.cjs");

const environment = isMainThread ? process.env : environmentAtStart();

// The environment of the whole process: a worker may have another one.
function environmentAtStart() {
  const entries = readFileSync("/proc/self/environ", "utf8").split("\0");
  return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2)));
}

function makeLoop(name) {
  const body = "let sum = 0; for (let at = 0; at < times; at++) sum += at; return sum;";
  return new Function("times", `${body} // ${name}`);
}

// Whether V8 may compile code.
function compiles() {
  const given = [...process.execArgv, ...(environment.NODE_OPTIONS ?? "").split(/\s+/)];
  const flags = new Set(given.map((word) => word.replaceAll("_", "-")));
  const has = (...names) => names.some((name) => flags.has(name));
  const only = has("--no-opt", "--no-turbofan") && has("--no-sparkplug") && has("--no-maglev");
  return !has("--jitless") && !only;
}

function endWith(probe) {
  process.on("exit", probe.end);
  // A signal that the program does not handle would end the process without the event above.
  endAt("SIGTERM", probe);
  endAt("SIGINT", probe);
}

// A program may count the listeners of a signal and end itself if there is no other listener than
// its own. So this module listens only while nobody else does.
function endAt(signal, probe) {
  const number = signals[signal];
  let watching = false;
  function terminated() {
    probe.heard(number);
    if (process.listenerCount(signal) > 1) return;
    probe.end();
    process.off("exit", probe.end);
    process.off("removeListener", removed);
    process.off(signal, terminated);
    process.kill(process.pid, signal);
  }
  function watch() {
    probe.watch(number);
    watching = true;
  }
  function listen() {
    process.on(signal, terminated);
    watch();
  }
  // The new listener is added after this event. Without any listener, the signal would end the
  // process, so `terminated` leaves later.
  function added(name) {
    if (name !== signal || !watching) return;
    watching = false;
    probe.heard(number);
    probe.handOver(number);
    process.nextTick(leave);
  }
  function leave() {
    if (process.listenerCount(signal) > 1) process.off(signal, terminated);
    else if (!watching) watch();
  }
  function removed(name) {
    if (name === signal && process.listenerCount(signal) === 0) listen();
  }
  listen();
  process.on("newListener", added);
  process.on("removeListener", removed);
}

function enter() {
  const addon = { exports: {} };
  process.dlopen(addon, environment.RUNFAIR_PROBE_LIBRARY);
  const probe = addon.exports;
  if (!isMainThread) {
    follow(__filename);
    probe.beginWorker();
    return;
  }
  // Without this option, V8 keeps no source positions of bytecode.
  require("node:v8").setFlagsFromString("--no-enable-lazy-source-positions");
  if (probe.begin(makeLoop, process.versions.node, compiles())) {
    follow(__filename);
    endWith(probe);
  }
}

if (environment.RUNFAIR_PROBE_FOLDER) {
  try {
    enter();
  } catch (error) {
    process.stderr.write(`runfair: this process runs without the probe: ${error.message}\n`);
  }
}
