// Values in PostgreSQL's text and binary formats, by the types' numbers (pg_type.dat).

import { bytesOf, isBytes } from 'sparrow:internal/bytes';
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

/** `\x` and two digits a byte; by `bytea_output = escape`, bytes and `\ooo`. */
function binary(bytes, from, to) {
  const given = text(bytes, from, to);
  if (given.startsWith('\\x')) return Uint8Array.fromHex(given.slice(2));
  return native.encodeLatin1(
    given.replace(/\\(?:\\|(\d{3}))/g, (_, digits = '134') =>
      String.fromCharCode(Number.parseInt(digits, 8)),
    ),
  );
}

const TEXT_DECODERS = {
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

const scratch = new DataView(new ArrayBuffer(8));

/** Eight bytes, which need not be aligned. */
function eight(bytes, from) {
  for (let i = 0; i < 8; i++) scratch.setUint8(i, bytes[from + i]);
  return scratch;
}

/** Four bytes as a signed integer. */
export const at32 = (bytes, at) =>
  (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];

/** Not float4, which is another number in the text format: its shortest decimal. */
const BINARY_DECODERS = {
  16: (bytes, from) => bytes[from] === 1,
  17: (bytes, from, to) => bytes.slice(from, to),
  20: (bytes, from) => eight(bytes, from).getBigInt64(0),
  21: (bytes, from) => ((bytes[from] << 24) >> 16) | bytes[from + 1],
  23: at32,
  26: (bytes, from) => at32(bytes, from) >>> 0,
  701: (bytes, from) => eight(bytes, from).getFloat64(0),
};

/** What reads a column in the text format; types that are not known are given as text. */
export const textDecoder = (type) => TEXT_DECODERS[type] ?? text;

/** What reads a column in the binary format; undefined for types that come as text. */
export const binaryDecoder = (type) => BINARY_DECODERS[type];

/** A parameter's text; null for SQL's NULL. Bytes are hexadecimal within an array alone. */
export function encoded(value) {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (isBytes(value)) return `\\x${bytesOf(value).toHex()}`;
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
