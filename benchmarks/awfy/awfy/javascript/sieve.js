// The sieve of Eratosthenes up to 5000.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

const SIZE = 5000;

export class Sieve extends Benchmark {
  once() {
    const flags = new Array(SIZE).fill(true);
    let primes = 0;
    for (let i = 2; i <= SIZE; i++) {
      if (flags[i - 1]) {
        primes++;
        for (let k = i + i; k <= SIZE; k += i) {
          counts.steps++; // tick
          flags[k - 1] = false;
        }
      }
    }
    return primes;
  }
}
