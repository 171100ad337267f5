/** A channel in shared memory, between one sender and one receiver on different threads. */
export class Ring {
  static ofCapacity(capacity) {
    return new Ring(new SharedArrayBuffer(4 * (2 + capacity)));
  }

  /** `memory` is what another thread's ring of this channel has. */
  constructor(memory) {
    this.memory = memory;
    this.ends = new Int32Array(memory, 0, 2); // how many were sent, and received, modulo 2³²
    this.values = new Int32Array(memory, 8);
    this.place = 0; // of the next value at this thread's end
  }

  send(value) {
    const sent = this.ends[0];
    let received = Atomics.load(this.ends, 1);
    while (((sent - received) | 0) === this.values.length) {
      Atomics.wait(this.ends, 1, received);
      received = Atomics.load(this.ends, 1);
    }
    this.values[this.place] = value;
    this.advance();
    Atomics.store(this.ends, 0, (sent + 1) | 0);
    Atomics.notify(this.ends, 0);
  }

  receive() {
    const received = this.ends[1];
    while (Atomics.load(this.ends, 0) === received) Atomics.wait(this.ends, 0, received);
    const value = this.values[this.place];
    this.advance();
    Atomics.store(this.ends, 1, (received + 1) | 0);
    Atomics.notify(this.ends, 1);
    return value;
  }

  advance() {
    this.place = this.place + 1 === this.values.length ? 0 : this.place + 1;
  }
}
