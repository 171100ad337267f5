// Bytes in their forms, and in pieces.

import native from 'sparrow:native';

export const isBytes = (value) =>
  typeof value === 'object' &&
  (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer);

/** The bytes of an ArrayBuffer or of a view of one, which share its memory. `also` is for errors. */
export function bytesOf(value, also = '') {
  if (!isBytes(value)) {
    throw new TypeError(`the value must be ${also}an ArrayBuffer or a view of one`);
  }
  const { buffer = value, byteOffset, byteLength } = value;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The same, or the UTF-8 of a string. */
export const asBytes = (content) =>
  typeof content === 'string' ? native.encode(content) : bytesOf(content, 'a string, ');

/** The bytes of all parts. */
export function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
