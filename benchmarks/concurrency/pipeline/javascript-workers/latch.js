/** Counts how many tasks have yet to begin, in shared memory. */
export class Latch {
  /** `memory` is what a latch on another thread has. */
  constructor(memory = new SharedArrayBuffer(4)) {
    this.memory = memory;
    this.missing = new Int32Array(memory);
  }

  reset(tasks) {
    this.missing[0] = tasks;
  }

  countDown() {
    if (Atomics.sub(this.missing, 0, 1) === 1) Atomics.notify(this.missing, 0);
  }

  /** Waits until none is missing. */
  wait() {
    let missing = Atomics.load(this.missing, 0);
    for (; missing > 0; missing = Atomics.load(this.missing, 0)) {
      Atomics.wait(this.missing, 0, missing);
    }
  }
}
