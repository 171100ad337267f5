// Samples of a distribution, in the cells of an HdrHistogram (contract.md, "Distributions"). No file
// can be mapped here: a thread of its own writes the counts to it, however busy the others are.

import { once } from 'events';
import fs from 'fs';
import path from 'path';
import { parentPort, Worker, workerData } from 'worker_threads';

const GREATEST = 2 ** 47 - 1;
const DIGITS = 11; // a value of no more binary digits has a cell of its own
const CELLS = 38912;
const WRITE_INTERVAL_MS = 250; // the contract's "at least twice a second"

export function cellOf(value) {
  const clamped = Math.min(Math.max(value, 0), GREATEST);
  const upper = Math.floor(clamped / 2 ** 32);
  const digits = upper > 0 ? 64 - Math.clz32(upper) : 32 - Math.clz32(clamped);
  const shift = Math.max(digits - DIGITS, 0);
  return shift * 2 ** (DIGITS - 1) + Math.floor(clamped / 2 ** shift);
}

/** Counts a sample in a recorder's `halves`, from whichever thread. */
export function addSample(halves, value) {
  const lower = 2 * (1 + cellOf(value));
  if (Atomics.add(halves, lower, 1) === 0xffffffff) Atomics.add(halves, lower + 1, 1);
}

/** Its counts are in shared memory. `ready` is when they are being written. */
export class Recorder {
  constructor(folder, distribution) {
    // The index of the iteration, then the count of each cell: lower and upper 32 bits by turns.
    this.halves = new Uint32Array(new SharedArrayBuffer(8 * (1 + CELLS)));
    const file = path.join(folder, `${distribution}.counts`);
    const written = { halves: this.halves, file };
    // A worker's output would otherwise go through process.stdout, which makes the descriptor of
    // all that is printed non-blocking: a full pipe would then be an error.
    const options = { stdout: true, stderr: true, workerData: { written } };
    const writer = new Worker(new URL(import.meta.url), options);
    this.ready = once(writer, 'message').then(() => writer.unref());
  }

  record(value) {
    addSample(this.halves, value);
  }

  begin(iteration) {
    this.halves.fill(0, 2);
    this.halves.set([iteration, Math.floor(iteration / 2 ** 32)]);
  }

  /** Each cell that holds samples, and how many. */
  toJSON() {
    const samples = [];
    for (let cell = 0; cell < CELLS; cell++) {
      const lower = 2 * (1 + cell);
      const count = this.halves[lower + 1] * 2 ** 32 + this.halves[lower];
      if (count > 0) samples.push(cell, count);
    }
    return samples;
  }
}

/** What the writing thread does until the process ends. */
function write({ halves, file }) {
  const descriptor = fs.openSync(file, 'w');
  const writeAll = () => fs.writeSync(descriptor, halves, 0, halves.byteLength, 0);
  writeAll();
  setInterval(writeAll, WRITE_INTERVAL_MS);
  parentPort.postMessage('ready');
}

if (workerData?.written) write(workerData.written);
