// Runs before every program: the globals that it may use.

import { AbortController, AbortSignal } from 'sparrow:abort';
import { Buffer } from 'sparrow:buffer';
import { console } from 'sparrow:console';
import { fetch } from 'sparrow:fetch';
import { Headers } from 'sparrow:headers';
import { Response } from 'sparrow:http-response';
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
import { crypto } from 'sparrow:web-crypto';

const started = native.now();

/** The part of the web's `performance` that programs read. */
const performance = {
  timeOrigin: Date.now(),
  now: () => native.now() - started,
};

const globals = {
  AbortController,
  AbortSignal,
  Buffer,
  Headers,
  Response,
  console,
  crypto,
  fetch,
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
