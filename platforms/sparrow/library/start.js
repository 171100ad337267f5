// Runs before every program: the globals that it may use.

import { console } from 'sparrow:console';
import { process } from 'sparrow:node-process';
import { TextDecoder, TextEncoder } from 'sparrow:text';
import {
  clearInterval,
  clearTimeout,
  queueMicrotask,
  setImmediate,
  setInterval,
  setTimeout,
} from 'sparrow:timers';
import { URLSearchParams } from 'sparrow:url';
import native from 'sparrow:native';

const started = native.now();

/** The part of the web's `performance` that programs read. */
const performance = {
  timeOrigin: Date.now(),
  now: () => native.now() - started,
};

const globals = {
  console,
  process,
  performance,
  TextDecoder,
  TextEncoder,
  URLSearchParams,
  clearInterval,
  clearTimeout,
  queueMicrotask,
  setImmediate,
  setInterval,
  setTimeout,
};

for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
