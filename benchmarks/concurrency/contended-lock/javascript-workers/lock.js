const FREE = 0;
const HELD = 1;
const WANTED = 2; // held, and others may wait for it

/** A lock in a word of shared memory: the second mutex of Drepper, "Futexes Are Tricky" (2011). */
export class Lock {
  constructor(words, word) {
    this.words = words;
    this.word = word;
  }

  acquire() {
    let was = Atomics.compareExchange(this.words, this.word, FREE, HELD);
    if (was === HELD) was = Atomics.exchange(this.words, this.word, WANTED);
    while (was !== FREE) {
      Atomics.wait(this.words, this.word, WANTED);
      was = Atomics.exchange(this.words, this.word, WANTED);
    }
  }

  release() {
    const was = Atomics.exchange(this.words, this.word, FREE);
    if (was === WANTED) Atomics.notify(this.words, this.word, 1);
  }
}
