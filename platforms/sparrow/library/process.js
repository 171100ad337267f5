// The process: its arguments, environment, signals and end.

import native from 'sparrow:native';

/** The numbers of the signals that a program may wish to handle. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15, SIGWINCH: 28 };
const ENDING = { ...SIGNALS, SIGKILL: 9 };
const handlers = new Map();

/** The arguments behind the program's file. */
export const args = native.arguments().slice(2);
export const env = native.environment();
export const pid = native.processId();

/** Ends the process now. */
export function exit(status = 0) {
  native.exit(status);
}

/** Calls `handler` for each of these signals, instead of what the system would do. */
export function onSignal(name, handler) {
  const number = SIGNALS[name];
  if (number === undefined) {
    throw new RangeError(`${name} cannot be handled; there are ${Object.keys(SIGNALS).join(', ')}`);
  }
  handlers.set(number, [...(handlers.get(number) ?? []), handler]);
  native.onSignal(number, dispatch);
}

export function sendSignal(process, name) {
  if (ENDING[name] === undefined) throw new RangeError(`there is no signal ${name}`);
  native.sendSignal(process, ENDING[name]);
}

function dispatch(number) {
  for (const handler of handlers.get(number) ?? []) handler();
}
