// What the fourteen share: how often the work is done, and the suite's own random numbers.

/** A benchmark of which `once()` does the work and gives the answer. */
export class Benchmark {
  /** Does the work `inner` times; a benchmark whose `inner` is a size has its own `run`. */
  run(inner) {
    let sum = 0;
    for (let i = 0; i < inner; i++) sum += this.once();
    return sum;
  }
}

/** The suite's own generator of numbers below 65536. */
export class Random {
  constructor() {
    this.seed = 74755;
  }

  next() {
    this.seed = (this.seed * 1309 + 13849) & 65535;
    return this.seed;
  }
}
