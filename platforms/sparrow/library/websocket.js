// A WebSocket server (RFC 6455), on the connections of sparrow:http.

import { digest, toBase64 } from 'sparrow:crypto';
import { bytesOf } from 'sparrow:internal/bytes';
import { text, Upgrade } from 'sparrow:internal/http-reply';
import {
  BINARY,
  CLOSE,
  FrameReader,
  frame,
  PING,
  PONG,
  Refused,
  TEXT,
  textOf,
} from 'sparrow:internal/websocket-frames';
import native from 'sparrow:native';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/; // 16 bytes
const VERSION = '13';
const NORMAL = 1000;
const GOING_AWAY = 1001;
const NO_CODE = 1005;
const LOST = 1006;
const FAILED = 1011;
const CLOSE_MS = 5000; // how long a client has to answer a close
const MOST_REASON_BYTES = 123;
const OPTIONS = {
  protocols: [],
  messageBytes: 1024 * 1024,
  waitingBytes: 16 * 1024 * 1024,
  pingMs: 30000,
};

/**
 * What a handler of `serve` returns to make a request a WebSocket; `opened(socket)` is called then.
 * A request that asks for something else is refused. `options`: `protocols` (the subprotocols, the
 * best first), `messageBytes` (of the longest message), `waitingBytes` (a client that lets more wait
 * is lost), and `pingMs` (a client that is silent for this long is asked, and then lost).
 */
export function upgrade(request, opened, options = {}) {
  const words = (name) => (request.header(name) ?? '').split(',').map((word) => word.trim());
  const asks = (name, word) => words(name).some((one) => one.toLowerCase() === word);
  const refusal = { Upgrade: 'websocket', 'Sec-WebSocket-Version': VERSION };
  if (!asks('upgrade', 'websocket') || !asks('connection', 'upgrade')) {
    return text('this address accepts only WebSocket connections', {
      status: 426,
      headers: refusal,
    });
  }
  if (request.header('sec-websocket-version') !== VERSION) {
    return text('the version of WebSocket must be 13', { status: 426, headers: refusal });
  }
  const key = request.header('sec-websocket-key') ?? '';
  if (request.method !== 'GET' || !KEY.test(key)) {
    return text('this request is not a valid WebSocket handshake', { status: 400 });
  }
  const settings = { ...OPTIONS, ...options };
  const offered = words('sec-websocket-protocol');
  const protocol = settings.protocols.find((one) => offered.includes(one)) ?? '';
  const headers = { 'Sec-WebSocket-Accept': toBase64(digest('sha1', key + GUID)) };
  if (protocol !== '') headers['Sec-WebSocket-Protocol'] = protocol;
  return new Upgrade('websocket', headers, (connection, arrived) => {
    const socket = new WebSocket(connection, protocol, settings, opened, arrived);
    return { end: () => socket.close(GOING_AWAY, 'the server ends'), ended: socket.closed };
  });
}

const nothing = () => {};

/** A connection to one client. Set `onmessage(message)`: a string, or bytes, as the client sent it. */
export class WebSocket {
  onmessage = nothing;
  ondrain = nothing;
  #connection;
  #reader;
  #waitingBytes;
  #pinging;
  #heard = true; // something, since the last look
  #paused = false;
  #open = true;
  #outcome = undefined; // the code and reason with which this ends
  #closed = Promise.withResolvers();

  constructor(connection, protocol, { messageBytes, waitingBytes, pingMs }, opened, arrived) {
    this.#connection = connection;
    this.protocol = protocol; // the subprotocol; empty if there is none
    this.#waitingBytes = waitingBytes;
    this.#reader = new FrameReader(messageBytes, (kind, content) => this.#given(kind, content));
    this.#pinging = setInterval(() => this.#look(), pingMs);
    connection.ondrain = () => this.#open && this.ondrain();
    connection.onend = connection.onerror = () => this.#over(LOST, '');
    this.#attempt(() => this.#heed(opened(this)));
    connection.ondata = (bytes) => this.#receive(bytes);
    this.#receive(arrived);
  }

  /** Whether messages can be sent. */
  get open() {
    return this.#open;
  }

  /** A promise of `{ code, reason }`. The code is 1006 for a client that was lost. */
  get closed() {
    return this.#closed.promise;
  }

  /**
   * Sends a string or bytes. Returns how many bytes wait for the client; `ondrain()` is called when
   * none do. A closed socket sends nothing, and returns -1.
   */
  send(message) {
    const isText = typeof message === 'string';
    return this.#send(isText ? TEXT : BINARY, isText ? native.encode(message) : bytesOf(message));
  }

  /** Says goodbye to the client, and returns the promise `closed`. */
  close(code = NORMAL, reason = '') {
    if (!isCode(code)) throw new RangeError(`a socket cannot be closed with the code ${code}`);
    const words = native.encode(reason);
    if (words.length > MOST_REASON_BYTES) {
      throw new RangeError(`a reason must have at most ${MOST_REASON_BYTES} bytes`);
    }
    if (this.#open) {
      this.#send(CLOSE, Uint8Array.of(code >> 8, code, ...words));
      this.#open = false;
      this.#pause(false);
      setTimeout(() => this.#over(LOST, ''), CLOSE_MS).unref();
    }
    return this.closed;
  }

  /** Reads no more from the client until it is called with false; what was read is still given. */
  pause(paused) {
    if (this.#open) this.#pause(paused);
  }

  #pause(paused) {
    this.#paused = paused;
    this.#connection.pause(paused);
  }

  #send(kind, content) {
    if (!this.#open) return -1;
    const waiting = this.#connection.write(frame(kind, content));
    if (waiting <= this.#waitingBytes) return waiting;
    this.#over(LOST, '');
    return -1;
  }

  #receive(bytes) {
    this.#heard = true;
    if (!this.#outcome) this.#attempt(() => this.#reader.receive(bytes));
  }

  #attempt(step) {
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** What the program's function returned may be a promise, which may be rejected. */
  #heed(work) {
    if (typeof work?.then === 'function') work.then(nothing, (error) => this.#fail(error));
  }

  #given(kind, content) {
    if (this.#outcome) return;
    if (kind === PING) this.#send(PONG, content);
    else if (kind === CLOSE) this.#answerClose(content);
    // Behind a close of this side, what the client still sends has no reader.
    else if (kind !== PONG && this.#open) this.#heed(this.onmessage(content));
  }

  #answerClose(content) {
    if (content.length === 1)
      throw new Refused(1002, 'a close frame contains only half of its code');
    const code = content.length === 0 ? NO_CODE : (content[0] << 8) | content[1];
    if (content.length > 0 && !isCode(code))
      throw new Refused(1002, `the close code ${code} is not valid`);
    const reason = textOf(content.subarray(2));
    this.#send(CLOSE, content.subarray(0, 2));
    this.#end(code, reason);
  }

  /** A client that breaks the rules is told by which code; so is one whose message was not coped with. */
  #fail(error) {
    if (this.#outcome) return;
    const { code, message } = error instanceof Refused ? error : { code: FAILED, message: '' };
    if (code === FAILED) console.error(error);
    this.#send(CLOSE, Uint8Array.of(code >> 8, code, ...native.encode(message)));
    this.#end(code, message);
  }

  /** Closing at once could lose what was sent: the client ends the connection, or has no more time. */
  #end(code, reason) {
    this.#outcome = { code, reason };
    this.#open = false;
    this.#pause(false);
    this.#connection.end();
    setTimeout(() => this.#over(code, reason), CLOSE_MS).unref();
  }

  #over(code, reason) {
    this.#open = false;
    clearInterval(this.#pinging);
    this.#connection.close();
    this.#outcome ??= { code, reason };
    this.#closed.resolve(this.#outcome);
  }

  #look() {
    if (this.#paused) return;
    if (!this.#heard) return this.#over(LOST, '');
    this.#heard = false;
    this.#send(PING, new Uint8Array());
  }
}

/** Whether a close may have this code (section 7.4). */
function isCode(code) {
  const defined = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
  return Number.isInteger(code) && (defined || (code >= 3000 && code <= 4999));
}
