// AbortController and AbortSignal: how a program takes back what it has asked for.

/** Gives a signal, which a program can do by its controller alone. */
let give;

export class AbortSignal {
  aborted = false;
  reason = undefined;
  #listeners = new Set();

  /** A signal that is given after so many milliseconds. It does not keep the program alive. */
  static timeout(ms) {
    const controller = new AbortController();
    const late = new Error(`the operation took longer than ${ms} ms`);
    late.name = 'TimeoutError';
    setTimeout(() => controller.abort(late), ms).unref();
    return controller.signal;
  }

  static abort(reason = undefined) {
    const controller = new AbortController();
    controller.abort(reason);
    return controller.signal;
  }

  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }

  addEventListener(name, listener) {
    if (name !== 'abort') throw new TypeError(`a signal has only the event 'abort', not '${name}'`);
    this.#listeners.add(listener);
  }

  removeEventListener(_, listener) {
    this.#listeners.delete(listener);
  }

  static {
    give = (signal, reason) => {
      signal.aborted = true;
      signal.reason = reason;
      const listeners = [...signal.#listeners];
      signal.#listeners.clear();
      for (const listener of listeners) listener({ type: 'abort', target: signal });
    };
  }
}

/** What the promise gives, unless the signal comes first. */
export async function unlessAborted(signal, promise) {
  if (!signal) return promise;
  const aborted = Promise.withResolvers();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

export class AbortController {
  signal = new AbortSignal();

  abort(reason = undefined) {
    if (this.signal.aborted) return;
    give(this.signal, reason ?? aborted());
  }
}

function aborted() {
  const error = new Error('the operation was aborted');
  error.name = 'AbortError';
  return error;
}
