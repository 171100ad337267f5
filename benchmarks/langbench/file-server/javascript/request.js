// A request: its lines, and what they mean for the connection.

import { Failure } from './failure.js';

/** Digits; a longer number is too large in any case. */
export const LONGEST_LENGTH = 15;
const MOST_BODY_BYTES = 65536;

const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP\/([0-9])\.([0-9])$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)$/;
const HOST = /^[A-Za-z0-9._~%!$&'()*+;=:[\]-]*$/;
const DIGITS = /^[0-9]+$/;

export class Request {
  /** Reads the request line. Throws Failure. */
  constructor(line) {
    const parts = REQUEST_LINE.exec(line);
    if (parts === null) throw new Failure(400);
    const [, method, target, major, minor] = parts;
    if (major !== '1') throw new Failure(505);
    this.method = method;
    this.target = target;
    this.minor = minor === '0' ? 0 : 1; // of the version, HTTP/1.
    this.headers = new Map();
  }

  /** Throws Failure. */
  addField(line) {
    const parts = FIELD.exec(line);
    if (parts === null) throw new Failure(400);
    const name = parts[1].toLowerCase();
    const value = trimmed(parts[2]);
    const before = this.headers.get(name);
    this.headers.set(name, before === undefined ? value : `${before},${value}`);
  }

  header(name) {
    return this.headers.get(name);
  }

  /** How many bytes follow the headers. Throws Failure. */
  bodyLength() {
    const host = this.header('host');
    if (host === undefined ? this.minor === 1 : !HOST.test(host)) throw new Failure(400);
    const length = this.header('content-length');
    if (this.header('transfer-encoding') !== undefined) {
      throw new Failure(length === undefined ? 411 : 400);
    }
    if (length !== undefined && !DIGITS.test(length)) throw new Failure(400);
    if (length?.length > LONGEST_LENGTH || Number(length) > MOST_BODY_BYTES) throw new Failure(413);
    if (this.header('expect') !== undefined && this.minor === 1) throw new Failure(417);
    return Number(length ?? 0);
  }

  /** Whether another request may follow on the connection. */
  get persistent() {
    const connection = this.header('connection') ?? '';
    const tokens = connection.split(',').map((token) => trimmed(token).toLowerCase());
    return !tokens.includes('close') && (this.minor === 1 || tokens.includes('keep-alive'));
  }
}

/** Without the spaces and tabs at its ends. */
function trimmed(text) {
  let begin = 0;
  let end = text.length;
  while (begin < end && isBlank(text[begin])) begin++;
  while (begin < end && isBlank(text[end - 1])) end--;
  return text.slice(begin, end);
}

function isBlank(character) {
  return character === ' ' || character === '\t';
}
