const CAPACITY = 64;

/** A channel in shared memory, between one sender and one receiver on different threads. */
export class Ring {
  /** `memory` is what another thread's ring of this channel has. */
  constructor(memory = new SharedArrayBuffer(4 * (2 + CAPACITY))) {
    this.memory = memory;
    this.ends = new Int32Array(memory, 0, 2); // how many were sent, and received, modulo 2³²
    this.values = new Int32Array(memory, 8, CAPACITY);
  }

  send(value) {
    const sent = this.ends[0];
    let received = Atomics.load(this.ends, 1);
    while (((sent - received) | 0) === CAPACITY) {
      Atomics.wait(this.ends, 1, received);
      received = Atomics.load(this.ends, 1);
    }
    this.values[sent & (CAPACITY - 1)] = value;
    Atomics.store(this.ends, 0, (sent + 1) | 0);
    Atomics.notify(this.ends, 0);
  }

  receive() {
    const received = this.ends[1];
    while (Atomics.load(this.ends, 0) === received) Atomics.wait(this.ends, 0, received);
    const value = this.values[received & (CAPACITY - 1)];
    Atomics.store(this.ends, 1, (received + 1) | 0);
    Atomics.notify(this.ends, 1);
    return value;
  }
}
