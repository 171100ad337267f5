// Tokens, numbers and placeholders: langbench/log/contract.md, "Tokens". A character is a byte.

export const VARIABLE_PLACEHOLDER = '\x11';
export const NUMBER_PLACEHOLDER = '\x12';
export const PLACEHOLDERS = new RegExp(`[${VARIABLE_PLACEHOLDER}${NUMBER_PLACEHOLDER}]`);
export const NOT_A_NUMBER = -1;
const MOST_DIGITS = 13;
const EQUALS = 0x3d;
const MINUS = 0x2d;
const POINT = 0x2e;

const isDigit = (code) => 0x30 <= code && code <= 0x39;
const isLetter = (code) => (0x61 <= code && code <= 0x7a) || (0x41 <= code && code <= 0x5a);
const isPlaceholder = (code) => code === 0x11 || code === 0x12;

const TOKEN_BYTES = Uint8Array.from({ length: 256 }, (_, code) =>
  Number(
    code >= 128 ||
      isDigit(code) ||
      isLetter(code) ||
      isPlaceholder(code) ||
      '+-./_\\'.includes(String.fromCharCode(code)),
  ),
);

/** Where the first token from the place on begins, or the limit if there is none before it. */
export function tokenBegin(text, from, limit) {
  let at = from;
  while (at < limit && TOKEN_BYTES[text.charCodeAt(at)] === 0) at++;
  return at;
}

/** Where the token that begins there ends. */
export function tokenEnd(text, begin, limit) {
  let at = begin;
  while (at < limit && TOKEN_BYTES[text.charCodeAt(at)] === 1) at++;
  return at;
}

/** Tells whether the token [begin, end) of the text is a variable. */
export function isVariable(text, begin, end) {
  let letter = false;
  for (let at = begin; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code) || isPlaceholder(code)) return true;
    letter = letter || isLetter(code);
  }
  return letter && begin > 0 && text.charCodeAt(begin - 1) === EQUALS;
}

/** The code of the variable [begin, end) of the text, or NOT_A_NUMBER. */
export function numberCode(text, begin, end) {
  const negative = text.charCodeAt(begin) === MINUS;
  let value = 0;
  let digits = 0;
  let scale = 0;
  let point = false;
  for (let at = negative ? begin + 1 : begin; at < end; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      if (++digits > MOST_DIGITS) return NOT_A_NUMBER;
      value = value * 10 + (code - 0x30);
      if (point) scale++;
    } else if (code === POINT && digits > 0 && !point) {
      point = true;
    } else {
      return NOT_A_NUMBER;
    }
  }
  if (digits === 0 || (point && scale === 0)) return NOT_A_NUMBER;
  return (value * 16 + digits) * 32 + scale * 2 + (negative ? 1 : 0);
}

/** The number of the code; a code is an integer beyond 32 bits, so not one for `>>`. */
export function numberText(code) {
  const scale = Math.floor(code / 2) % 16;
  const digits = Math.floor(code / 32) % 16;
  const text = String(Math.floor(code / 512)).padStart(digits, '0');
  const sign = code % 2 === 1 ? '-' : '';
  if (scale === 0) return sign + text;
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

/** A copy that does not keep the file alive from which V8 has sliced the text. */
export function copied(text) {
  return Buffer.from(text, 'latin1').toString('latin1');
}
