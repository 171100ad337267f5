// Runs before every program: the globals that it may use.

import { AbortController, AbortSignal } from 'sparrow:internal/abort';
import { Buffer } from 'sparrow:internal/buffer';
import { console } from 'sparrow:internal/console';
import { fetch } from 'sparrow:internal/fetch';
import { Headers } from 'sparrow:internal/headers';
import { Response } from 'sparrow:internal/http-response';
import { process } from 'sparrow:internal/node-process';
// A thread hears of signals and of its end, whatever it imports.
import 'sparrow:internal/port';
import { TextDecoder, TextEncoder } from 'sparrow:internal/text';
import { URL, URLSearchParams } from 'sparrow:internal/url';
import { crypto } from 'sparrow:internal/web-crypto';
import native from 'sparrow:native';
import * as timers from 'sparrow:timers';

const started = native.now();

/** The part of the web's `performance` that programs read. */
const performance = {
  timeOrigin: Date.now(),
  now: () => native.now() - started,
};

// `sleep` is only sparrow's.
const { sleep: _, ...webTimers } = timers;

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
  ...webTimers,
};

for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
}
