// The numbers of signals.

/** Those that a program may wish to handle. */
export const HANDLED = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGTERM: 15,
  SIGWINCH: 28,
};
const SENT = { ...HANDLED, SIGKILL: 9 };

export function numberOf(name) {
  if (SENT[name] === undefined) throw new RangeError(`there is no signal ${name}`);
  return SENT[name];
}
