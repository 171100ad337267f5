import { monotonicNs } from '../../../harness/javascript/harness.js';
import { addSample } from '../../../harness/javascript/recorder.js';

/** What the tasks share: a bell for each, and what belongs to the task that was woken last. */
export class Ring {
  /** `memory` is what a ring on another thread has. */
  constructor(memory) {
    this.memory = memory;
    this.bells = memory.bells; // 1 if the task was woken and has not seen it
    this.begun = memory.begun;
    this.held = memory.held; // x
    this.sinceNs = memory.sinceNs;
    this.latency = memory.latency; // the recorder's counts
    this.tasks = this.bells.length;
  }

  static of(tasks, latency) {
    const integers = (length) => new Int32Array(new SharedArrayBuffer(4 * length));
    const sinceNs = new Float64Array(new SharedArrayBuffer(8));
    const memory = { bells: integers(tasks), begun: integers(1), held: integers(1) };
    return new Ring({ ...memory, sinceNs, latency });
  }

  get x() {
    return this.held[0];
  }

  reset(seed) {
    this.begun[0] = 0;
    this.held[0] = seed;
  }

  begin() {
    Atomics.add(this.begun, 0, 1);
    Atomics.notify(this.begun, 0);
  }

  /** Waits until all tasks have begun. */
  awaitAll() {
    for (let begun = 0; begun < this.tasks; begun = Atomics.load(this.begun, 0)) {
      Atomics.wait(this.begun, 0, begun);
    }
  }

  /** Waits until task `i` is woken, and records how long that took. */
  awaitWake(i) {
    while (Atomics.load(this.bells, i) === 0) Atomics.wait(this.bells, i, 0);
    Atomics.store(this.bells, i, 0);
    addSample(this.latency, monotonicNs() - this.sinceNs[0]);
    this.held[0] = (Math.imul(this.held[0], 1664525) + i) | 0;
  }

  wake(task) {
    this.sinceNs[0] = monotonicNs();
    Atomics.store(this.bells, task, 1);
    Atomics.notify(this.bells, task);
  }
}
