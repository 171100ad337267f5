// TCP and unix sockets: connections that bytes arrive on, and listeners.

import native from 'sparrow:native';

const CONNECTED = 0;
const DATA = 1;
const ENDED = 2;
const FAILED = 3;
const DRAINED = 4;
const READ_BYTES = 65536;

/** Where all streams' data arrives; each of them looks at it before the next does. */
const arrived = new Uint8Array(READ_BYTES);
native.setReadBuffer(arrived);

const nothing = () => {};

/**
 * A connection. Set `ondata(bytes)`, `onend()`, `onerror(error)` and `ondrain()`. The bytes are
 * valid during the call only: copy (`slice`) what is needed later.
 */
export class Connection {
  ondata = nothing;
  onend = nothing;
  onerror = nothing;
  ondrain = nothing;
  #id;
  #connected;

  constructor(open, connected) {
    this.#connected = connected;
    this.#id = open((event, value) => this.#happened(event, value));
  }

  /** Bytes that wait for the peer: more than a few of them, and `ondrain` should be awaited. */
  write(bytes, from = 0, to = bytes.length) {
    return native.writeStream(this.#id, bytes, from, to);
  }

  /** Ends this side, behind all that was written. The connection closes when its peer ends too. */
  end() {
    native.finishStream(this.#id);
  }

  close() {
    native.closeStream(this.#id);
  }

  /** Whether the program waits for this connection to close before it ends. */
  hold(held) {
    native.holdStream(this.#id, held);
  }

  pause(paused) {
    native.pauseStream(this.#id, paused);
  }

  #happened(event, value) {
    if (event === DATA) return this.ondata(arrived.subarray(0, value));
    if (event === DRAINED) return this.ondrain();
    if (event === CONNECTED) return this.#connected.resolve(this);
    if (event === ENDED) return this.onend();
    if (event === FAILED) {
      this.#connected?.reject(value);
      this.onerror(value);
    }
  }
}

/** A connection to a host and port; to a unix socket if the host begins with '/'. */
export function connect(host, port = 0) {
  const connected = Promise.withResolvers();
  new Connection((events) => native.openStream(host, port, events), connected);
  return connected.promise;
}

/** A connection over a socket that somebody else has opened. */
export function adopt(descriptor) {
  return new Connection((events) => native.adoptStream(descriptor, events));
}

/** Calls `accepted(connection)` for each that comes; `share` lets other processes listen too. */
export function listen({ host = '127.0.0.1', port = 0, share = false }, accepted) {
  const [close, chosen] = native.openListener(host, port, share, (socket) =>
    accepted(adopt(socket)),
  );
  return { port: chosen, close };
}
