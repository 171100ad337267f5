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

  static alloc(size, value = 0) {
    return new Buffer(size).fill(value);
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

  write(text, at = 0, encoding = 'utf8') {
    const bytes = encodingOf(encoding)
      .encode(text)
      .subarray(0, this.length - at);
    this.set(bytes, at);
    return bytes.length;
  }
}

/** The same bytes as a Buffer. */
export function viewed(bytes) {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
