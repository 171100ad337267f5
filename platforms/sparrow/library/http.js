// An HTTP/1.1 server: a function from requests to replies.

import { isBytes } from 'sparrow:internal/bytes';
import { Heads, headerText, Reply, text, Upgrade } from 'sparrow:internal/http-reply';
import { Request } from 'sparrow:internal/http-request';
import { stream } from 'sparrow:internal/http-stream';
import { portOf, whole } from 'sparrow:internal/range';
import { serverContext } from 'sparrow:internal/tls';
import { wholeText } from 'sparrow:internal/whole-text';
import native from 'sparrow:native';
import { adopt } from 'sparrow:tcp';

export { html, json, Reply, text } from 'sparrow:internal/http-reply';
export { Request } from 'sparrow:internal/http-request';

const MOST_MS = 2 ** 31 - 1;
/** The greatest value of each limit. */
const LIMITS = {
  headMs: MOST_MS,
  bodyMs: MOST_MS,
  idleMs: MOST_MS,
  writeMs: MOST_MS,
  bodyBytes: Number.MAX_SAFE_INTEGER,
};
/** The methods that have a number in src/http_head.hpp. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
// The elements of #turn: Turn in src/http_server.cpp.
const SERIAL = 0;
const METHOD = 1;
const HAS_BODY = 2;
const HEAD = 3;
const FAILED = new Reply('internal error', { status: 500 });

/**
 * Answers requests with what `handler(request)` returns: a string, bytes, a Reply, or a promise of
 * these. `options`: `port` (0: the system's choice), `host`, `share` (with other processes),
 * `limits` (`headMs`, `bodyMs`, `idleMs`, `writeMs`, `bodyBytes`), `server`, the header of that
 * name, and `tls` (`cert` and `key`: PEM, or files of it). Throws an error with a `code` if the port
 * cannot be had.
 */
export function serve(options, handler) {
  return new Server(options, handler);
}

export class Server {
  #native;
  #heads;
  #handler;
  #turn = new Int32Array(4); // the request that #dispatch handles, and the head of its answer
  #streams = new Map(); // answers under way, by the number of their connection
  #upgraded = new Set(); // what ends the connections that have another protocol
  #stopping = false;
  #stopped = Promise.withResolvers();

  constructor(
    {
      host = '127.0.0.1',
      port = 0,
      share = false,
      limits = {},
      server = 'sparrow',
      tls = undefined,
    },
    handler,
  ) {
    if (typeof handler !== 'function')
      throw new TypeError('serve needs a function that answers requests');
    const functions = {
      dispatch: (index, target) => this.#dispatch(index, target),
      drained: (index) => this.#streams.get(index)?.drained(),
      closed: (index) => this.#closed(index),
      upgraded: (index, socket, session, arrived) =>
        this.#streams.get(index).begin(adopt(socket, session), arrived),
      stopped: () => this.#stopped.resolve(),
    };
    const name = headerText('server', server);
    this.#native = native.openHttp(
      wholeText('a host', host),
      portOf(port),
      share,
      checkedLimits(limits),
      tls && serverContext(tls),
      functions,
      this.#turn,
    );
    this.#heads = new Heads(this.#native, name);
    this.#handler = handler;
  }

  get port() {
    return this.#native.port;
  }

  /** How many connections are open. */
  get connections() {
    return this.#native.connections();
  }

  /** No new connections; requests under way are answered. A promise that is kept after the last. */
  async stop() {
    this.#stopping = true;
    this.#native.stop();
    await this.#stopped.promise;
    await Promise.all([...this.#upgraded].map((end) => end()));
  }

  /** Handles a request of a connection, and the next ones while all are answered at once. */
  #dispatch(index, first) {
    const native = this.#native;
    const turn = this.#turn;
    let target = first;
    while (target !== undefined) {
      const serial = turn[SERIAL];
      const method = METHODS[turn[METHOD]] ?? native.method();
      const body = turn[HAS_BODY] ? native.body() : undefined;
      const request = new Request(native, index, serial, method, target, body);
      let reply;
      let head = -1;
      try {
        reply = this.#handler(request);
        if (typeof reply === 'string') reply = text(reply);
        if (reply instanceof Reply) head = this.#heads.of(reply);
      } catch (error) {
        reply = failed(error);
      }
      if (head < 0) {
        this.#settle(index, serial, reply);
        return;
      }
      turn[HEAD] = head;
      target = native.answer(reply.body);
    }
  }

  /** Answers with what is no usual reply, or a promise. */
  #settle(index, serial, reply) {
    const answer = (value) => this.#answer(index, serial, value);
    if (reply instanceof Reply || typeof reply?.then !== 'function') answer(reply);
    else reply.then(answer, (error) => answer(failed(error)));
  }

  /** The next connection may have the same number, so what streamed to this one is forgotten. */
  #closed(index) {
    const gone = this.#streams.get(index);
    this.#streams.delete(index);
    gone?.closed();
  }

  #answer(index, serial, value) {
    try {
      this.#send(index, serial, value);
    } catch (error) {
      // A reply that no answer can be made of: nothing of it was sent.
      this.#send(index, serial, failed(error));
    }
  }

  #send(index, serial, value) {
    if (value instanceof Upgrade) return this.#upgrade(index, serial, value);
    const reply = value instanceof Reply ? value : replyOf(value);
    if (reply.streams) {
      const { lines } = this.#heads.linesOf(reply);
      return stream(this.#native, this.#streams, index, serial, lines, reply);
    }
    const head = this.#heads.of(reply);
    if (head >= 0) return this.#native.respond(index, serial, head, reply.body);
    const { status, lines } = this.#heads.linesOf(reply);
    this.#native.respondOnce(index, serial, status, lines, reply.body);
  }

  #upgrade(index, serial, reply) {
    const lines = this.#heads.upgradeLines(reply);
    const other = this.#streams.get(index); // of the next connection, if this one is gone
    const begin = (connection, arrived) => {
      this.#streams.delete(index);
      const { end, ended } = reply.begin(connection, arrived);
      this.#upgraded.add(end);
      ended.then(() => this.#upgraded.delete(end));
      if (this.#stopping) end();
    };
    this.#streams.set(index, { closed() {}, drained() {}, begin });
    if (this.#native.upgrade(index, serial, lines)) return;
    if (other) this.#streams.set(index, other);
    else this.#streams.delete(index);
  }
}

function checkedLimits(limits) {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => {
      if (Object.hasOwn(LIMITS, name)) return [name, whole(name, value, 1, LIMITS[name])];
      throw new RangeError(
        `there is no limit ${name}; there are ${Object.keys(LIMITS).join(', ')}`,
      );
    }),
  );
}

function replyOf(value) {
  if (typeof value === 'string' || isBytes(value)) return text(value);
  return failed(
    new TypeError('a handler must return a string, bytes, a Reply, or a promise of one of these'),
  );
}

function failed(error) {
  console.error(error);
  return FAILED;
}
