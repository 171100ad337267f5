// console: lines on standard output and standard error.

import { inspect } from 'sparrow:internal/inspect';
import native from 'sparrow:native';

function print(descriptor, values) {
  native.writeAll(
    descriptor,
    native.encode(`${values.map((value) => inspect(value)).join(' ')}\n`),
  );
}

export const console = {
  log: (...values) => print(1, values),
  info: (...values) => print(1, values),
  debug: (...values) => print(1, values),
  error: (...values) => print(2, values),
  warn: (...values) => print(2, values),
};
