// Answers in RESP2. A character is a byte.

export const OK = simple('OK');
export const NULL = '$-1\r\n';

export function simple(text) {
  return `+${text}\r\n`;
}

export function error(text) {
  return `-${text.replace(/[\r\n]/g, ' ')}\r\n`;
}

export function integer(value) {
  return `:${value}\r\n`;
}

export function bulk(value) {
  return `$${value.length}\r\n${value}\r\n`;
}

export function array(values) {
  return `*${values.length}\r\n${values.map(bulk).join('')}`;
}
