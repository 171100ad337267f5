// A range of bytes of a file (RFC 9110, section 14).

import { Failure } from './failure.js';
import { LONGEST_LENGTH } from './request.js';

const RANGE = /^bytes=(?:([0-9]+)-([0-9]*)|-([0-9]+))$/;
const BEYOND_ANY_FILE = 1e15;

/** {first, count} by the value of a field; undefined is the whole file. Throws Failure. */
export function requestedRange(value, size) {
  const parts = value === undefined || size === 0 ? null : RANGE.exec(value);
  if (parts === null) return undefined;
  const [, from, to, suffix] = parts;
  const unsatisfiable = () => new Failure(416, `Content-Range: bytes */${size}`);
  if (suffix !== undefined) {
    const count = Math.min(number(suffix), size);
    if (count === 0) throw unsatisfiable();
    return { first: size - count, count };
  }
  const first = number(from);
  const last = to === '' ? size - 1 : number(to);
  if (to !== '' && last < first) return undefined;
  if (first >= size) throw unsatisfiable();
  return { first, count: Math.min(last, size - 1) - first + 1 };
}

function number(digits) {
  return digits.length <= LONGEST_LENGTH ? Number(digits) : BEYOND_ANY_FILE;
}
