// The Mandelbrot set, a bit a pixel; the answer is all its bytes, by exclusive or.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

const ITERATIONS = 50;
const LIMIT = 4.0;

/** 1 if the point leaves the circle, else 0. */
function escapes(cr, ci) {
  let zrzr = 0.0;
  let zi = 0.0;
  let zizi = 0.0;
  for (let z = 0; z < ITERATIONS; z++) {
    counts.steps++; // tick
    const zr = zrzr - zizi + cr;
    zi = 2.0 * zr * zi + ci;
    zrzr = zr * zr;
    zizi = zi * zi;
    if (zrzr + zizi > LIMIT) return 1;
  }
  return 0;
}

export class Mandelbrot extends Benchmark {
  run(size) {
    let sum = 0;
    let bits = 0;
    let bitCount = 0;
    for (let y = 0; y < size; y++) {
      const ci = (2.0 * y) / size - 1.0;
      for (let x = 0; x < size; x++) {
        const cr = (2.0 * x) / size - 1.5;
        bits = (bits << 1) + escapes(cr, ci);
        bitCount++;
        if (bitCount === 8) {
          sum ^= bits;
          bits = 0;
          bitCount = 0;
        } else if (x === size - 1) {
          sum ^= bits << (8 - bitCount);
          bits = 0;
          bitCount = 0;
        }
      }
    }
    return sum;
  }
}
