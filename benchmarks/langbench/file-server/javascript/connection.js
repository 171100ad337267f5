// One client: its requests, one after another.

import { answer, refusal } from './answer.js';
import { Failure } from './failure.js';
import { Request } from './request.js';

const LONGEST_REQUEST_LINE = 8192;
const LONGEST_HEADERS = 65536;
const MOST_DROPPED_BYTES = 1048576;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The client has left. */
class Gone extends Error {}

export class Connection {
  constructor(client) {
    this.client = client;
    this.chunks = client[Symbol.asyncIterator]();
    this.come = Buffer.alloc(0); // and not yet taken
    this.waiting = false;
    this.stopping = false;
    // Whoever reads or writes is told as well.
    client.on('error', () => {});
  }

  /** Answers requests until the client leaves or wants no more. */
  async converse(folder) {
    try {
      let persistent = true;
      while (persistent) persistent = await this.answerNext(folder);
      await this.leave();
    } catch (error) {
      // Nobody is there any more to be told.
      if (!(error instanceof Gone) && typeof error.code !== 'string') throw error;
    } finally {
      this.client.destroy();
    }
  }

  /** Lets what is under way be answered, and nothing more. */
  stop() {
    this.stopping = true;
    if (this.waiting) this.client.destroy();
  }

  /** Whether another request may follow. */
  async answerNext(folder) {
    try {
      const request = await this.readRequest();
      await this.write(await answer(folder, request));
      return request.persistent;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await this.write(refusal(error));
      return false;
    }
  }

  /** Throws Failure, Gone. */
  async readRequest() {
    let line = '';
    while (line === '') line = await this.readLine(LONGEST_REQUEST_LINE, 414);
    const request = new Request(line);
    let left = LONGEST_HEADERS;
    while (true) {
      line = await this.readLine(left, 431);
      if (line === '') break;
      left -= line.length;
      request.addField(line);
    }
    await this.drop(request.bodyLength());
    return request;
  }

  /** A line, a character a byte. Throws Failure, Gone. */
  async readLine(most, status) {
    let searched = 0;
    while (true) {
      const come = this.come.subarray(0, most + 2);
      const end = come.indexOf(LINE_FEED, searched);
      if (end >= 0) {
        if (come[end - 1] !== CARRIAGE_RETURN) throw new Failure(400);
        this.come = this.come.subarray(end + 1);
        return come.latin1Slice(0, end - 1);
      }
      if (come.length === most + 2) throw new Failure(status);
      searched = come.length;
      const chunk = await this.receive();
      this.come = this.come.length === 0 ? chunk : Buffer.concat([this.come, chunk]);
    }
  }

  /** Throws Gone. */
  async drop(length) {
    let left = length;
    while (this.come.length < left) {
      left -= this.come.length;
      this.come = await this.receive();
    }
    this.come = this.come.subarray(left);
  }

  /** At least a byte more of what the client sends. Throws Gone. */
  async receive() {
    if (this.stopping) throw new Gone();
    this.waiting = true;
    const { done, value } = await this.chunks.next();
    this.waiting = false;
    if (done) throw new Gone();
    return value;
  }

  /** Settled once the kernel has taken all: until then nothing more is read from the client. */
  write(bytes) {
    return new Promise((resolve, reject) => {
      this.client.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Waits for the client to go, so that no reset overtakes the last answer. Throws Gone. */
  async leave() {
    this.client.end();
    for (let left = MOST_DROPPED_BYTES; left > 0; ) left -= (await this.receive()).length;
  }
}
