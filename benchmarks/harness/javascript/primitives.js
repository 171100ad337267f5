// SplitMix64 and FNV-1a (benchmarks/contract.md, "Shared primitives") on two halves of 32 bits:
// arithmetic on BigInt is fifty times slower.

export const hexadecimal = (high, low) =>
  [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');

export class SplitMix64 {
  /** `seed` is a BigInt of at most 64 bits. */
  constructor(seed) {
    this.stateHigh = Number(seed >> 32n) | 0;
    this.stateLow = Number(seed & 0xffffffffn) | 0;
    this.high = 0; // the two halves of the number that next() drew last
    this.low = 0;
  }

  next() {
    const low = (this.stateLow >>> 0) + 0x7f4a7c15;
    this.stateLow = low | 0;
    this.stateHigh = (this.stateHigh + 0x9e3779b9 + (low > 0xffffffff ? 1 : 0)) | 0;
    this.high = this.stateHigh;
    this.low = this.stateLow;
    this.xorShifted(30);
    this.multiply(0xbf58476d, 0x1ce4e5b9);
    this.xorShifted(27);
    this.multiply(0x94d049bb, 0x133111eb);
    this.xorShifted(31);
  }

  xorShifted(bits) {
    this.low ^= (this.low >>> bits) | (this.high << (32 - bits));
    this.high ^= this.high >>> bits;
  }

  multiply(high, low) {
    const a = this.low & 0xffff;
    const b = this.low >>> 16;
    const c = low & 0xffff;
    const d = low >>> 16;
    const middle = b * c + ((a * c) >>> 16); // below 2³², as the next sums are
    const upper = b * d + (middle >>> 16) + ((a * d + (middle & 0xffff)) >>> 16);
    this.high = (Math.imul(this.low, high) + Math.imul(this.high, low) + upper) | 0;
    this.low = Math.imul(this.low, low);
  }

  /** An integer of [0, n), for 1 ≤ n < 2³². */
  bounded(n) {
    this.next();
    return (this.high >>> 0) % n;
  }

  /** Shuffles an array in place, and gives it. */
  shuffle(array) {
    for (let i = array.length - 1; i > 0; i--) {
      const j = this.bounded(i + 1);
      const element = array[i];
      array[i] = array[j];
      array[j] = element;
    }
    return array;
  }

  /** The next number. */
  hexadecimal() {
    this.next();
    return hexadecimal(this.high, this.low);
  }
}

export class Fnv1a {
  constructor() {
    this.high = 0xcbf29ce4 | 0;
    this.low = 0x84222325 | 0;
  }

  /** A character of `text` is a byte. */
  latin1(text) {
    for (let i = 0; i < text.length; i++) this.byte(text.charCodeAt(i));
  }

  byte(byte) {
    // The prime is 2⁴⁰ + 435: multiplied by limbs of 16 bits, so that all stays an integer.
    const low = this.low ^ byte;
    const first = (low & 0xffff) * 435;
    const second = (low >>> 16) * 435 + (first >>> 16);
    this.high = (Math.imul(this.high, 435) + (low << 8) + (second >>> 16)) | 0;
    this.low = (second << 16) | (first & 0xffff);
  }

  digest() {
    return hexadecimal(this.high, this.low);
  }
}
