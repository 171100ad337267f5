// The conversation with a client.

import { Failure, Request } from './request.js';
import { failureResponse, respond } from './response.js';

const LF = 10;
const MOST_LINE_BYTES = 8192;
const MOST_HEADER_BYTES = 65536;
const MOST_DISCARDED_BYTES = 1048576;

class ClientLeft extends Error {}

export class Connection {
  constructor(socket, folder) {
    this.socket = socket;
    this.folder = folder;
    this.chunks = socket[Symbol.asyncIterator]();
    this.bytes = Buffer.alloc(0); // that have arrived and are not yet used
    this.isWaiting = false;
    this.isStopping = false;
    socket.on('error', () => {}); // the conversation sees it too
  }

  /** Responds until the client leaves or wants no more. */
  async converse() {
    try {
      while (await this.respondOnce());
      this.socket.end();
      for (let left = MOST_DISCARDED_BYTES; left > 0; left -= this.bytes.length) {
        this.bytes = Buffer.alloc(0);
        await this.more();
      }
    } catch (error) {
      // An error with a code is the socket's: the client has left.
      if (!(error instanceof ClientLeft) && error.code === undefined) throw error;
    } finally {
      this.socket.destroy();
    }
  }

  stop() {
    this.isStopping = true;
    if (this.isWaiting) this.socket.destroy();
  }

  /** Returns whether another request may follow. */
  async respondOnce() {
    let response;
    let isPersistent = false;
    try {
      const request = await this.request();
      response = await respond(this.folder, request);
      isPersistent = request.isPersistent();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      response = failureResponse(error, 'Connection: close\r\n');
    }
    await new Promise((resolve, reject) => {
      this.socket.write(response, (error) => (error ? reject(error) : resolve()));
    });
    return isPersistent;
  }

  async request() {
    let line = '';
    while (line === '') line = await this.line(MOST_LINE_BYTES, 414);
    const request = new Request(line);
    let left = MOST_HEADER_BYTES;
    for (;;) {
      line = await this.line(left, 431);
      if (line === '') break;
      left -= line.length;
      request.add(line);
    }
    const length = request.bodyLength();
    while (this.bytes.length < length) await this.more();
    this.bytes = this.bytes.slice(length);
    return request;
  }

  /** The bytes before CR LF, as characters. */
  async line(most, status) {
    for (;;) {
      const end = this.bytes.indexOf(LF);
      if (end >= most + 2 || (end < 0 && this.bytes.length >= most + 2)) throw new Failure(status);
      if (end >= 0) {
        const line = this.bytes.toString('latin1', 0, end);
        this.bytes = this.bytes.slice(end + 1);
        if (!line.endsWith('\r')) throw new Failure(400);
        return line.slice(0, -1);
      }
      await this.more();
    }
  }

  /** Waits for more bytes. Throws ClientLeft. */
  async more() {
    if (this.isStopping) throw new ClientLeft();
    this.isWaiting = true;
    const { done, value } = await this.chunks.next();
    this.isWaiting = false;
    if (done) throw new ClientLeft();
    this.bytes = Buffer.concat([this.bytes, value]);
  }
}
