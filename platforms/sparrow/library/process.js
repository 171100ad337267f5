// The process: its arguments, environment, signals and end.

import { HANDLED, numberOf } from 'sparrow:internal/signals';
import native from 'sparrow:native';

const handlers = new Map();

/** The arguments behind the program's file. */
export const args = native.arguments().slice(2);
export const env = native.environment();
export const pid = native.processId();

/** The memory of the process, and the heap and garbage collections of this thread. */
export const memory = () => native.memory();

/** Ends the process now; without a status, with `process.exitCode`. */
export function exit(status) {
  native.exit(status);
}

/** Calls `handler` for each of these signals, instead of what the system would do. */
export function onSignal(name, handler) {
  const number = HANDLED[name];
  if (number === undefined) {
    throw new RangeError(
      `${name} cannot be handled; the signals that can be handled are ${Object.keys(HANDLED).join(', ')}`,
    );
  }
  handlers.set(number, [...(handlers.get(number) ?? []), handler]);
  native.onSignal(number, dispatch);
}

export function sendSignal(process, name) {
  native.sendSignal(process, numberOf(name));
}

function dispatch(number) {
  for (const handler of handlers.get(number) ?? []) handler();
}
