// Values in PostgreSQL's text format, by the types' numbers (pg_type.dat).

import native from 'sparrow:native';

const ZERO = 48;
const MINUS = 45;
const TRUE = 116; // t

const text = (bytes, from, to) => native.decode(bytes, from, to);

function integer(bytes, from, to) {
  const negative = bytes[from] === MINUS;
  let value = 0;
  for (let at = negative ? from + 1 : from; at < to; at++) value = value * 10 + bytes[at] - ZERO;
  return negative ? -value : value;
}

const boolean = (bytes, from) => bytes[from] === TRUE;
const bigint = (bytes, from, to) => BigInt(text(bytes, from, to));
const float = (bytes, from, to) => Number(text(bytes, from, to).replace('inf', 'Inf'));
const json = (bytes, from, to) => JSON.parse(text(bytes, from, to));

/** `\x` and two digits a byte. */
function binary(bytes, from, to) {
  const digits = text(bytes, from + 2, to);
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

const DECODERS = {
  16: boolean,
  17: binary,
  20: bigint,
  21: integer,
  23: integer,
  26: integer,
  114: json,
  700: float,
  701: float,
  3802: json,
};

/** What reads a column; types that are not known are given as text. */
export const decoderOf = (type) => DECODERS[type] ?? text;

/** A parameter's text; null for SQL's NULL. */
export function encoded(value) {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${hex(value)}`;
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`;
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

function element(value) {
  if (Array.isArray(value)) return encoded(value);
  const plain = encoded(value);
  if (plain === null) return 'NULL';
  return typeof value === 'number' ? plain : `"${plain.replace(/["\\]/g, '\\$&')}"`;
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
