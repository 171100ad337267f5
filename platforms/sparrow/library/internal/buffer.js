// Node's Buffer: bytes with the encodings that programs read and write.

import { joined } from 'sparrow:internal/bytes';
import native from 'sparrow:native';

/** For each encoding: bytes of a text, and the text of bytes from `begin` to `end`. */
const UTF8 = { encode: native.encode, decode: native.decode };
const LATIN1 = { encode: native.encodeLatin1, decode: native.decodeLatin1 };
const ENCODINGS = {
  utf8: UTF8,
  'utf-8': UTF8,
  latin1: LATIN1,
  binary: LATIN1,
  ascii: {
    encode: native.encodeLatin1,
    decode: (bytes, begin, end) =>
      native.decodeLatin1(
        bytes.subarray(begin, end).map((byte) => byte & 0x7f),
        0,
        end - begin,
      ),
  },
  hex: {
    encode: (text) => Uint8Array.fromHex(text.match(/^(?:[0-9a-f]{2})*/i)[0]),
    decode: (bytes, begin, end) => bytes.subarray(begin, end).toHex(),
  },
  base64: {
    encode: (text) => Uint8Array.fromBase64(strictBase64(text)),
    decode: (bytes, begin, end) => bytes.subarray(begin, end).toBase64(),
  },
};

/** What Node reads of base64 or base64url, of which it refuses nothing. */
function strictBase64(text) {
  const [first] = text.split('=', 1);
  const digits = first
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replace(/[^A-Za-z0-9+/]/g, '');
  return digits.length % 4 === 1 ? digits.slice(0, -1) : digits; // one digit is not yet a byte
}

export function encodingOf(name = 'utf8') {
  const encoding = ENCODINGS[String(name).toLowerCase()];
  if (encoding) return encoding;
  throw new RangeError(
    `there is no encoding '${name}'; the encodings are ${Object.keys(ENCODINGS).join(', ')}`,
  );
}

export class Buffer extends Uint8Array {
  static from(value, encoding, length) {
    if (typeof value === 'string') return viewed(encodingOf(encoding).encode(value));
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
      return new Buffer(value, encoding, length);
    }
    return viewed(Uint8Array.from(value));
  }

  static alloc(size, value = 0, encoding = 'utf8') {
    return new Buffer(size).fill(value, 0, size, encoding);
  }

  static allocUnsafe(size) {
    return new Buffer(size);
  }

  static isBuffer(value) {
    return value instanceof Buffer;
  }

  static byteLength(value, encoding) {
    return typeof value === 'string' ? encodingOf(encoding).encode(value).length : value.byteLength;
  }

  static concat(parts, size = undefined) {
    const all = joined(parts);
    if (size === undefined) return viewed(all);
    const sized = new Buffer(size);
    sized.set(all.subarray(0, size));
    return sized;
  }

  toString(encoding, begin = 0, end = this.length) {
    const last = Math.min(end, this.length);
    return encodingOf(encoding).decode(this, begin, Math.max(begin, last));
  }

  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }

  equals(other) {
    return this.length === other.length && this.every((byte, index) => byte === other[index]);
  }

  /** Shares the bytes, as Node's does, and not as an array's copy does. */
  slice(begin, end) {
    return this.subarray(begin, end);
  }

  /** Repeats a text or bytes, as Node's does. The encoding may also be the second argument. */
  fill(value, begin = 0, end = this.length, encoding = 'utf8') {
    if (typeof begin === 'string') return this.fill(value, 0, this.length, begin);
    const bytes = wanted(value, encoding);
    if (bytes.length === 0) return super.fill(0, begin, end);
    for (let at = begin; at < end; at++) this[at] = bytes[(at - begin) % bytes.length];
    return this;
  }

  /** Where a text, bytes or a byte begins first, from `begin` on; -1 if it is not there. */
  indexOf(value, begin = 0, encoding = 'utf8') {
    const bytes = wanted(value, encoding);
    const last = this.length - bytes.length;
    for (let at = begin < 0 ? Math.max(0, this.length + begin) : begin; at <= last; at++) {
      if (bytes.every((byte, index) => this[at + index] === byte)) return at;
    }
    return -1;
  }

  includes(value, begin, encoding) {
    return this.indexOf(value, begin, encoding) !== -1;
  }

  write(text, at = 0, encoding = 'utf8') {
    const bytes = encodingOf(encoding)
      .encode(text)
      .subarray(0, this.length - at);
    this.set(bytes, at);
    return bytes.length;
  }
}

/** The bytes that a text, bytes or a number stands for. */
function wanted(value, encoding) {
  if (typeof value === 'string') return encodingOf(encoding).encode(value);
  return value instanceof Uint8Array ? value : Uint8Array.of(value);
}

/** The same bytes as a Buffer. */
export function viewed(bytes) {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
