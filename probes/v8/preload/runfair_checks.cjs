// Lets the lab read and write this process's optimised code between two iterations of the program.
// An iteration lies between `process.cpuUsage()` and `process.cpuUsage(before)`. The process waits
// for the lab's requests before each iteration; each request and each answer is a line of JSON.
"use strict";

const fs = require("node:fs");
const { setFlagsFromString } = require("node:v8");
const { isMainThread } = require("node:worker_threads");

const folder = process.env.RUNFAIR_CHECKS_FOLDER;
const { cpuUsage } = process;
let lab; // the lab's pipes, while it has any requests
let memory;
let usedUs = 0; // by the last iteration

function print(file) {
  const flags = ["print-opt-code", "print-opt-source", "trace-deopt", "redirect-code-traces"];
  for (const flag of flags) setFlagsFromString(`--${flag}`);
  // V8 would end the path at a blank, and after 127 letters.
  const listing = fs.openSync(file, "w");
  setFlagsFromString(`--redirect-code-traces-to=/proc/${process.pid}/fd/${listing}`);
  // Otherwise V8 may move code to another address.
  setFlagsFromString("--no-compact-code-space");
}

/** The first process that measures itself is the lab's; its child processes run as usual. */
function claimed() {
  try {
    fs.closeSync(fs.openSync(`${folder}/claimed`, "wx"));
    return true;
  } catch {
    return false;
  }
}

function say(answer) {
  fs.writeSync(lab.out, `${JSON.stringify(answer)}\n`);
}

function heard() {
  const parts = [];
  for (;;) {
    const part = Buffer.alloc(1 << 16);
    const length = fs.readSync(lab.in, part);
    if (length === 0) return { leave: true }; // the lab has ended
    parts.push(part.subarray(0, length));
    if (part[length - 1] === 10) return JSON.parse(Buffer.concat(parts).toString());
  }
}

function bytesAt(address, length) {
  const bytes = Buffer.alloc(length);
  const read = fs.readSync(memory, bytes, 0, length, address);
  return bytes.toString("hex", 0, read);
}

/** Writes all patches, or none if any address holds other bytes than the old ones. */
function write(patches) {
  for (const [address, old] of patches) {
    if (bytesAt(address, old.length / 2) !== old) return { differs: address };
  }
  for (const [address, , bytes] of patches) {
    fs.writeSync(memory, Buffer.from(bytes, "hex"), 0, bytes.length / 2, address);
    if (bytesAt(address, bytes.length / 2) !== bytes) return { failed: "the write had no effect" };
  }
  return {};
}

function answerTo({ read, patches }) {
  memory ??= fs.openSync("/proc/self/mem", "r+");
  try {
    return read ? { bytes: read.map(([at, length]) => bytesAt(at, length)) } : write(patches);
  } catch (error) {
    return { failed: error.code ?? error.message };
  }
}

function leave() {
  process.cpuUsage = cpuUsage;
  lab = undefined;
}

function serve() {
  say({ pid: process.pid, version: process.versions.node, cpu_us: usedUs });
  for (let request = heard(); !request.go; request = heard()) {
    if (request.leave) {
      leave();
      return;
    }
    say(answerTo(request));
  }
}

function measured(before) {
  if (before === undefined) {
    lab ??= { out: fs.openSync(`${folder}/answers`, "w"), in: fs.openSync(`${folder}/requests`) };
    serve();
    return cpuUsage.call(process);
  }
  const used = cpuUsage.call(process, before);
  usedUs = used.user + used.system;
  return used;
}

if (folder && isMainThread) {
  print(`${folder}/code-${process.pid}`);
  process.cpuUsage = (before) => {
    process.cpuUsage = claimed() ? measured : cpuUsage;
    return process.cpuUsage(before);
  };
}
