// Replies, and the beginnings of answers, which are rendered once for each kind of reply.

import { bytesOf, isBytes } from 'sparrow:internal/bytes';
import { pairsOf, TOKEN, VALUE } from 'sparrow:internal/headers';

const REASONS = {
  101: 'Switching Protocols',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  426: 'Upgrade Required',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Framing and connection belong to the server. */
const OWN = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);
const MOST_KEPT = 1000;
const TEXT = 'text/plain; charset=utf-8';

/** An answer. `body`: a string, bytes, or an (async) iterable of them, which is sent in chunks. */
export class Reply {
  constructor(body = '', { status = 200, type = TEXT, headers = undefined } = {}) {
    const bytes = isBytes(body);
    this.body = bytes ? bytesOf(body) : body;
    this.status = status;
    this.type = type;
    this.headers = headers;
    this.streams = typeof body !== 'string' && !bytes;
    if (this.streams && !body?.[Symbol.asyncIterator] && !body?.[Symbol.iterator]) {
      throw new TypeError('a body must be a string, bytes, or an iterable of these');
    }
  }
}

/**
 * The answer that gives a connection to another protocol. `begin(connection, arrived)` takes the
 * connection and what has arrived on it, and returns `end()`, which the server calls when it stops,
 * and `ended`, a promise.
 */
export class Upgrade {
  constructor(protocol, headers, begin) {
    this.protocol = protocol;
    this.headers = headers;
    this.begin = begin;
  }
}

export const text = (body, options) => new Reply(body, options);
export const html = (body, options) =>
  new Reply(body, { type: 'text/html; charset=utf-8', ...options });
export const json = (value, options) =>
  new Reply(JSON.stringify(value), { type: 'application/json', ...options });

/** The heads that one server has rendered. */
export class Heads {
  #native;
  #server;
  #byStatus = new Map();
  #count = 0;
  #last = { status: 0, type: '', head: -1 }; // what `of` has last found

  constructor(native, server) {
    this.#native = native;
    this.#server = server;
  }

  /** The number of a reply's head; -1 for a head that is not kept. */
  of(reply) {
    const { status, type, headers, streams } = reply;
    if (headers !== undefined || streams) return -1;
    if (status !== this.#last.status || type !== this.#last.type) {
      const head = this.#byStatus.get(status)?.get(type) ?? this.#add(reply);
      this.#last = { status, type, head };
    }
    return this.#last.head;
  }

  /** The same for the answer after which the connection has another protocol. */
  upgradeLines({ protocol, headers }) {
    const lines = this.#linesOf({ status: 101, headers });
    return `${lines}Upgrade: ${protocol}\r\nConnection: Upgrade\r\n`;
  }

  #add(reply) {
    if (this.#count === MOST_KEPT) return -1;
    const { status, lines } = this.linesOf(reply);
    const head = this.#native.addHead(status, lines);
    if (!this.#byStatus.has(status)) this.#byStatus.set(status, new Map());
    this.#byStatus.get(status).set(reply.type, head);
    this.#count++;
    return head;
  }

  /** The status line and headers. Throws for a header that would end elsewhere than it says. */
  linesOf(reply) {
    const { status } = reply;
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new RangeError(`a status must be from 200 to 599, not ${status}`);
    }
    if (reply.streams && (status === 204 || status === 304)) {
      throw new RangeError(`a reply with the status ${status} cannot have a body`);
    }
    return { status, lines: this.#linesOf(reply) };
  }

  #linesOf({ status, type, headers = {} }) {
    const pairs = pairsOf(headers);
    const names = new Set(pairs.map(([name]) => String(name).toLowerCase()));
    let lines = `HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}\r\n`;
    if (!names.has('server')) lines += `Server: ${this.#server}\r\n`;
    if (type && !names.has('content-type'))
      lines += `Content-Type: ${headerText('type', type)}\r\n`;
    for (const [name, given] of pairs) {
      if (!TOKEN.test(name) || OWN.has(name.toLowerCase())) {
        throw new RangeError(`a reply cannot have the header ${JSON.stringify(name)}`);
      }
      for (const value of Array.isArray(given) ? given : [given]) {
        lines += `${name}: ${headerText(name, value)}\r\n`;
      }
    }
    return lines;
  }
}

/** Throws RangeError for what no header can hold. */
export function headerText(name, value) {
  const text = String(value);
  if (!VALUE.test(text))
    throw new RangeError(
      `the value of the header ${name} contains a character that no header may contain`,
    );
  return text;
}
