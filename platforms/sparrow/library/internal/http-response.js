// An HTTP/1.1 answer, read as its bytes arrive. What is not well-formed is refused.

import { asBytes, joined } from 'sparrow:internal/bytes';
import { Headers } from 'sparrow:internal/headers';
import { TextDecoder } from 'sparrow:internal/text';
import native from 'sparrow:native';

const MOST_HEAD_BYTES = 65536;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const HEADER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*?)[\t ]*$/;
const CHUNK = /^([0-9A-Fa-f]{1,8})(?:[\t ]*;.*)?$/s;
const WITHOUT_BODY = new Set([204, 304]);

export class ResponseReader {
  head = undefined; // { status, statusText, headers }
  done = false;
  #pending = new Uint8Array();
  #parts = [];
  #size = 0;
  #step = () => this.#readHead();
  #left = 0; // bytes of the body or of its chunk
  #method;
  #mostBytes;

  constructor(method, mostBytes) {
    this.#method = method;
    this.#mostBytes = mostBytes;
  }

  /** Takes bytes that are valid during the call only. Throws TypeError for what is no answer. */
  receive(bytes) {
    this.#pending = joined([this.#pending, bytes]);
    while (!this.done && this.#step());
  }

  /** The server has closed the connection. Throws TypeError for an answer that is not whole. */
  end() {
    if (this.#step === this.#readUntilEnd) this.done = true;
    if (!this.done)
      throw new TypeError('the server closed the connection before its answer was complete');
  }

  /** The whole body. */
  body() {
    return joined(this.#parts);
  }

  #readHead() {
    const text = native.decodeLatin1(this.#pending, 0, MOST_HEAD_BYTES);
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) {
      if (this.#pending.length >= MOST_HEAD_BYTES)
        throw new TypeError('the head of the answer is too long');
      return false;
    }
    this.#pending = this.#pending.subarray(end + 4);
    const [first, ...lines] = text.slice(0, end).split('\r\n');
    const [, status, statusText = ''] = STATUS_LINE.exec(first) ?? [];
    if (status === undefined)
      throw new TypeError(
        `the answer does not begin with a status line, but with ${JSON.stringify(first)}`,
      );
    const headers = new Headers();
    for (const line of lines) {
      const header = HEADER.exec(line);
      if (!header)
        throw new TypeError(`this line of the answer is not a header: ${JSON.stringify(line)}`);
      headers.append(header[1], header[2]);
    }
    if (status.startsWith('1')) return true; // informational: the answer follows
    this.head = { status: Number(status), statusText, headers };
    this.#frame();
    return true;
  }

  #frame() {
    const { status, headers } = this.head;
    const coding = headers.get('transfer-encoding');
    const length = headers.get('content-length');
    if (this.#method === 'HEAD' || WITHOUT_BODY.has(status)) {
      this.done = true;
    } else if (coding !== null) {
      if (coding.toLowerCase() !== 'chunked' || length !== null) {
        throw new TypeError(
          `the end of this body is unknown, because of Transfer-Encoding: ${coding}`,
        );
      }
      this.#step = this.#readChunk;
    } else if (length !== null) {
      if (!/^\d{1,15}$/.test(length))
        throw new TypeError(`the header Content-Length is invalid: ${length}`);
      this.#left = Number(length);
      this.#allow(this.#left);
      this.#step = this.#readSized;
      this.done = this.#left === 0;
    } else {
      this.#step = this.#readUntilEnd;
    }
  }

  #readSized() {
    this.#take(this.#left);
    this.done = this.#left === 0;
    return false;
  }

  #readUntilEnd() {
    this.#left = this.#pending.length;
    this.#allow(this.#size + this.#left);
    this.#take(this.#left);
    return false;
  }

  #readChunk() {
    const line = this.#line();
    if (line === undefined) return false;
    const size = CHUNK.exec(line)?.[1];
    if (size === undefined)
      throw new TypeError(`a chunk does not begin with its size, but with ${JSON.stringify(line)}`);
    this.#left = Number.parseInt(size, 16);
    this.#allow(this.#size + this.#left);
    this.#step = this.#left === 0 ? this.#readTrailer : this.#readChunkContent;
    return true;
  }

  #readChunkContent() {
    this.#take(this.#left);
    if (this.#left > 0 || this.#pending.length < 2) return false;
    if (this.#line() !== '') throw new TypeError('a chunk is longer than its stated size');
    this.#step = this.#readChunk;
    return true;
  }

  #readTrailer() {
    const line = this.#line();
    if (line === undefined) return false;
    if (line === '') this.done = true;
    else if (!HEADER.test(line))
      throw new TypeError(`this line of the answer is not a trailer: ${JSON.stringify(line)}`);
    return true;
  }

  /** The next line, without its end; undefined until it has arrived. */
  #line() {
    const end = this.#pending.indexOf(10);
    if (end < 0) {
      if (this.#pending.length >= MOST_HEAD_BYTES)
        throw new TypeError('a line of the answer is too long');
      return undefined;
    }
    if (this.#pending[end - 1] !== 13) throw new TypeError('a line of the answer ends without CR');
    const line = native.decodeLatin1(this.#pending, 0, end - 1);
    this.#pending = this.#pending.subarray(end + 1);
    return line;
  }

  #take(most) {
    const part = this.#pending.subarray(0, most);
    if (part.length > 0) this.#parts.push(part.slice());
    this.#size += part.length;
    this.#left -= part.length;
    this.#pending = this.#pending.subarray(part.length);
  }

  #allow(size) {
    if (size > this.#mostBytes) {
      throw new TypeError(`the body is longer than ${this.#mostBytes} bytes`);
    }
  }
}

/** What `fetch` gives. The body has arrived whole. */
export class Response {
  #body;

  constructor(body = undefined, { status = 200, statusText = '', headers = {}, url = '' } = {}) {
    this.#body = asBytes(body ?? '');
    this.status = status;
    this.statusText = statusText;
    this.headers = headers instanceof Headers ? headers : new Headers(headers);
    this.url = url;
  }

  get ok() {
    return this.status >= 200 && this.status < 300;
  }

  async bytes() {
    return this.#body;
  }

  async arrayBuffer() {
    return this.#body.slice().buffer;
  }

  async text() {
    return new TextDecoder().decode(this.#body);
  }

  async json() {
    return JSON.parse(await this.text());
  }
}
