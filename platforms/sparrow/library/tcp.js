// TCP and unix sockets: connections that bytes arrive on, and listeners.

import { portOf } from 'sparrow:internal/range';
import { clientSide, serverContext, serverSide } from 'sparrow:internal/tls';
import { wholeText } from 'sparrow:internal/whole-text';
import native from 'sparrow:native';
import { clearTimeout, setTimeout } from 'sparrow:timers';

const CONNECTED = 0;
const DATA = 1;
const ENDED = 2;
const FAILED = 3;
const DRAINED = 4;
const READ_BYTES = 65536;
const HANDSHAKE_MS = 10000;

/** Where all streams' data arrives; each of them looks at it before the next does. */
const arrived = new Uint8Array(READ_BYTES);
native.setReadBuffer(arrived);

const nothing = () => {};
let secured; // secures one side of a connection

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
  #place;
  #finished = false;

  constructor(open, connected, place) {
    this.#connected = connected;
    this.#place = place;
    this.#id = open((event, value) => this.#happened(event, value));
  }

  /**
   * Bytes that wait for the peer: more than a few of them, and `ondrain` should be awaited; -1 if the
   * connection is closed. Throws an error after `end`.
   */
  write(bytes, from = 0, to = bytes.byteLength) {
    if (this.#finished) throw new Error('nothing can be written to a connection after its end()');
    return native.writeStream(this.#id, bytes, from, to);
  }

  /** Ends this side, behind all that was written. The connection closes when its peer ends too. */
  end() {
    this.#finished = true;
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

  /**
   * Goes on with TLS, as its client. `tls`: `servername` (which the certificate must have), `ca`
   * (the authorities; those of the system), `verify` (`full`; `ca`: not the name; `none`), `cert`
   * and `key` (if the server wants to know the client), `alpn` (the protocol to ask for), and
   * `handshakeMs`. Rejects, and closes the connection, if there is no TLS with this peer.
   */
  async secure(tls) {
    return this.#secure(clientSide(tls), tls.handshakeMs);
  }

  async #secure(side, handshakeMs = HANDSHAKE_MS) {
    this.#connected = Promise.withResolvers();
    const late = setTimeout(() => {
      this.#connected.reject(new Error(`TLS: the handshake took longer than ${handshakeMs} ms`));
    }, handshakeMs).unref();
    try {
      native.secureStream(this.#id, ...side, this.#place);
      return await this.#connected.promise;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** The digest of the server's certificate: tls-server-end-point of RFC 5929. Empty without TLS. */
  get serverEndPoint() {
    return native.serverEndPoint(this.#id);
  }

  static {
    secured = (connection, side, handshakeMs) => connection.#secure(side, handshakeMs);
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

/**
 * A connection to a host and port; to a unix socket if the host begins with '/'. `tls`: true, or the
 * options of `secure`.
 */
export async function connect(host, port = 0, { tls = undefined } = {}) {
  const wanted = tls && { servername: host, ...tls };
  const side = wanted && clientSide(wanted);
  const connection = await firstOf(
    native.addressesOf(wholeText('a host', host)),
    portOf(port),
    `${host}:${port}`,
  );
  return side ? secured(connection, side, wanted.handshakeMs) : connection;
}

/** A connection to the first address that takes it. */
async function firstOf([address, ...others], port, place) {
  const connected = Promise.withResolvers();
  try {
    new Connection((events) => native.openStream(address, port, events), connected, place);
    return await connected.promise;
  } catch (error) {
    if (others.length === 0) throw error;
    return firstOf(others, port, place);
  }
}

/** A connection over a socket that somebody else has opened. */
export function adopt(descriptor, session = undefined) {
  return new Connection((events) => native.adoptStream(descriptor, events, session), undefined, '');
}

/**
 * Calls `accepted(connection)` for each that comes; `share` lets other processes listen too. `tls`:
 * `cert`, `key` and `handshakeMs`; a handshake that fails is told to `refused(error)`.
 */
export function listen(
  { host = '127.0.0.1', port = 0, share = false, tls = undefined, refused = nothing },
  accepted,
) {
  const side = tls && serverSide(serverContext(tls));
  const [close, chosen] = native.openListener(
    wholeText('a host', host),
    portOf(port),
    share,
    (socket) => {
      const connection = adopt(socket);
      if (!side) return accepted(connection);
      secured(connection, side, tls.handshakeMs).then(accepted, refused);
    },
  );
  let open = true;
  return {
    port: chosen,
    close() {
      if (open) close();
      open = false;
    },
  };
}
