// Messages to PostgreSQL, collected until they are sent together.

import native from 'sparrow:native';

const FIRST_BYTES = 16384;
const ZERO = 48;

export class Writer {
  bytes = new Uint8Array(FIRST_BYTES);
  at = 0;

  /** Begins a message; the returned place is for `end`. `code` 0: one without a type. */
  begin(code) {
    this.#room(5);
    if (code !== 0) this.bytes[this.at++] = code;
    this.at += 4;
    return this.at - 4;
  }

  end(begun) {
    this.#setInt32(begun, this.at - begun);
  }

  int16(value) {
    this.#room(2);
    this.bytes[this.at++] = value >> 8;
    this.bytes[this.at++] = value;
  }

  int32(value) {
    this.#room(4);
    this.#setInt32(this.at, value);
    this.at += 4;
  }

  /** A string that ends with a zero, which it cannot hold itself. */
  string(text) {
    if (text.includes('\0'))
      throw new RangeError('a text for PostgreSQL cannot contain the character 0');
    this.text(text);
    this.byte(0);
  }

  byte(value) {
    this.#room(1);
    this.bytes[this.at++] = value;
  }

  text(text) {
    this.#room(3 * text.length);
    this.at += native.encodeInto(text, this.bytes, this.at);
  }

  raw(bytes) {
    this.#room(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  /** A text with its length before it. */
  sized(text) {
    this.int32(0);
    const begun = this.at;
    this.text(text);
    this.#setInt32(begun - 4, this.at - begun);
  }

  /** A small natural number as text, with its length before it. */
  sizedNumber(value) {
    let digits = 1;
    for (let rest = value; rest > 9; rest = (rest / 10) | 0) digits++;
    this.int32(digits);
    this.#room(digits);
    let at = this.at + digits;
    let rest = value;
    for (let i = 0; i < digits; i++) {
      this.bytes[--at] = ZERO + (rest % 10);
      rest = (rest / 10) | 0;
    }
    this.at += digits;
  }

  #setInt32(at, value) {
    const { bytes } = this;
    bytes[at] = value >> 24;
    bytes[at + 1] = value >> 16;
    bytes[at + 2] = value >> 8;
    bytes[at + 3] = value;
  }

  #room(count) {
    if (this.at + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.at + count));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}
