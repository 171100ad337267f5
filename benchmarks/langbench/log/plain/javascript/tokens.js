// Tokens, numbers and placeholders.

export const VARIABLE_PLACEHOLDER = '\x11';
export const NUMBER_PLACEHOLDER = '\x12';
const EITHER = VARIABLE_PLACEHOLDER + NUMBER_PLACEHOLDER;
export const TOKEN = new RegExp(`[A-Za-z0-9+./_\\\\\u0080-\u00ff${EITHER}-]+`, 'g');
export const PLACEHOLDERS = new RegExp(`[${EITHER}]`, 'g');
const SURELY_VARIABLE = new RegExp(`[0-9${EITHER}]`);
const MOST_DIGITS = 13;

export function isVariable(line, begin, token) {
  if (SURELY_VARIABLE.test(token)) return true;
  return begin > 0 && line[begin - 1] === '=' && /[A-Za-z]/.test(token);
}

// Codes are below 2 ** 53, and so exact; bits above the 32nd need arithmetic.
export function numberCode(token) {
  const number = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(token);
  if (number === null) return undefined;
  const fraction = number[3] === undefined ? '' : number[3];
  const digits = number[2] + fraction;
  if (digits.length > MOST_DIGITS) return undefined;
  return (Number(digits) * 16 + digits.length) * 32 + fraction.length * 2 + number[1].length;
}

export function numberText(code) {
  const count = Math.floor(code / 32) % 16;
  const scale = Math.floor(code / 2) % 16;
  let text = String(Math.floor(code / 512)).padStart(count, '0');
  if (scale > 0) text = `${text.slice(0, count - scale)}.${text.slice(count - scale)}`;
  return code % 2 === 1 ? `-${text}` : text;
}
