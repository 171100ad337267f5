// Runs before every program: the globals that it may use.

import { Buffer } from 'sparrow:buffer';
import { console } from 'sparrow:console';
import native from 'sparrow:native';
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
import { URL, URLSearchParams } from 'sparrow:url';

const started = native.now();

/** The part of the web's `performance` that programs read. */
const performance = {
  timeOrigin: Date.now(),
  now: () => native.now() - started,
};

const globals = {
  Buffer,
  console,
  process,
  performance,
  TextDecoder,
  TextEncoder,
  URL,
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
