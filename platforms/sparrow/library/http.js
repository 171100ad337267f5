// An HTTP/1.1 server: a function from requests to replies.

import { Heads, Reply, text } from 'sparrow:http-reply';
import { Request } from 'sparrow:http-request';
import { stream } from 'sparrow:http-stream';
import native from 'sparrow:native';

export { html, json, Reply, text } from 'sparrow:http-reply';

const FAILED = new Reply('internal error', { status: 500 });

/**
 * Answers requests with what `handler(request)` returns: a string, bytes, a Reply, or a promise of
 * these. `options`: `port` (0: the system's choice), `host`, `share` (with other processes),
 * `limits` (`headMs`, `bodyMs`, `idleMs`, `writeMs`, `bodyBytes`), and `server`, the header of that
 * name. Throws an error with a `code` if the port cannot be had.
 */
export function serve(options, handler) {
  return new Server(options, handler);
}

class Server {
  #native;
  #heads;
  #handler;
  #reply = new Int32Array(1); // the head of the answer that #dispatch returns
  #streams = new Map();
  #stopped = Promise.withResolvers();

  constructor(
    { host = '127.0.0.1', port = 0, share = false, limits = {}, server = 'sparrow' },
    handler,
  ) {
    if (typeof handler !== 'function') throw new TypeError('serve needs a function that answers');
    const functions = {
      dispatch: (index, serial, method, target, body) =>
        this.#dispatch(index, serial, method, target, body),
      drained: (index) => this.#streams.get(index)?.drained(),
      closed: (index) => this.#streams.get(index)?.closed(),
      stopped: () => this.#stopped.resolve(),
    };
    this.#native = native.openHttp({ host, port, share, limits }, functions, this.#reply);
    this.#heads = new Heads(this.#native, server);
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
  stop() {
    this.#native.stop();
    return this.#stopped.promise;
  }

  /** The body to send at once, with its head in #reply; undefined if the answer comes later. */
  #dispatch(index, serial, method, target, body) {
    const request = new Request(this.#native, index, serial, method, target, body);
    let reply;
    let head = -1;
    try {
      reply = this.#handler(request);
      if (reply instanceof Reply) head = this.#heads.of(reply);
    } catch (error) {
      reply = failed(error);
    }
    if (reply instanceof Reply) {
      if (head >= 0) {
        this.#reply[0] = head;
        return reply.body;
      }
    } else if (typeof reply?.then === 'function') {
      reply.then(
        (value) => this.#answer(request, value),
        (error) => this.#answer(request, failed(error)),
      );
      return undefined;
    }
    this.#answer(request, reply);
    return undefined;
  }

  #answer(request, value) {
    try {
      this.#send(request, value);
    } catch (error) {
      // A reply that no answer can be made of: nothing of it was sent.
      this.#send(request, failed(error));
    }
  }

  #send(request, value) {
    const reply = value instanceof Reply ? value : replyOf(value);
    const { index, serial } = request;
    if (reply.streams) {
      const { lines } = this.#heads.linesOf(reply);
      return stream(this.#native, this.#streams, request, lines, reply);
    }
    const head = this.#heads.of(reply);
    if (head >= 0) return this.#native.respond(index, serial, head, reply.body);
    const { status, lines } = this.#heads.linesOf(reply);
    this.#native.respondOnce(index, serial, status, lines, reply.body);
  }
}

function replyOf(value) {
  if (typeof value === 'string' || value instanceof Uint8Array) return text(value);
  return failed(new TypeError('a handler returns a string, bytes, a Reply, or a promise of these'));
}

function failed(error) {
  console.error(error);
  return FAILED;
}
