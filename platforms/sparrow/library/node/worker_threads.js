// Node's worker_threads: threads and their messages.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { data, startThread, starter } from 'sparrow:internal/port';
import native from 'sparrow:native';

/** The events of a port, as programs for Node listen to them. */
class Events {
  #listeners = new Map();

  on(name, listener) {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener]);
    return this;
  }

  once(name, listener) {
    const first = (value) => {
      this.off(name, listener);
      listener(value);
    };
    first.listener = listener;
    return this.on(name, first);
  }

  off(name, listener) {
    const all = this.#listeners.get(name) ?? [];
    const at = all.findIndex((one) => one === listener || one.listener === listener);
    if (at >= 0) this.#listeners.set(name, all.toSpliced(at, 1));
    return this;
  }

  removeListener(name, listener) {
    return this.off(name, listener);
  }

  listenerCount(name) {
    return this.#listeners.get(name)?.length ?? 0;
  }

  emit(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
    return this.listenerCount(name) > 0;
  }
}

/** What both ends of a thread's messages can do. */
class Messages extends Events {
  #port;

  constructor(port) {
    super();
    this.#port = port;
  }

  on(name, listener) {
    if (name === 'message') this.#port.onmessage = (value) => this.emit('message', value);
    return super.on(name, listener);
  }

  postMessage(value, transfers = []) {
    if (transfers.length > 0) throw new TypeError('sparrow copies values and cannot transfer them');
    this.#port.send(value);
  }

  ref() {
    this.#port.hold(true);
    return this;
  }

  unref() {
    this.#port.hold(false);
    return this;
  }
}

/** A thread. An error that it does not catch ends the process, so it has no event 'error'. */
export class Worker extends Messages {
  #port;
  #ended = Promise.withResolvers();

  constructor(file, { workerData = null, eval: source = false } = {}) {
    if (source) throw new TypeError('a worker must run a file, and cannot run a source text');
    const isUrl = file instanceof URL || file.startsWith('file:');
    const port = startThread(isUrl ? fileURLToPath(file) : resolve(file), { workerData });
    super(port);
    this.#port = port;
    this.threadId = port.number;
    port.onend = (status) => {
      this.#ended.resolve(status);
      this.emit('exit', status);
    };
  }

  /** Ends the thread when it is back in its event loop. */
  terminate() {
    this.#port.end();
    return this.#ended.promise;
  }
}

/** In a thread: its end of the messages. A listener of them keeps the thread going. */
class ParentPort extends Messages {
  on(name, listener) {
    super.on(name, listener);
    return name === 'message' ? this.ref() : this;
  }

  off(name, listener) {
    super.off(name, listener);
    return this.listenerCount('message') > 0 ? this : this.unref();
  }

  close() {
    starter.close();
  }
}

export const isMainThread = starter === undefined;
export const threadId = native.threadNumber();
export const workerData = data?.workerData ?? null;
export const parentPort = starter && 'workerData' in data ? new ParentPort(starter) : null;

export default { isMainThread, parentPort, threadId, Worker, workerData };
