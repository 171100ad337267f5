// Requests in RESP2, read from the bytes of a connection as they come.

const LF = 10;
const MOST_LINE_BYTES = 65536;
const MOST_WORDS = 2 ** 20;
const MOST_REQUEST_BYTES = 512000000; // a string of V8 may be a little longer
const CRLF = '\r\n';

/** What was sent is no request; the message says why. */
export class ProtocolError extends Error {}

/** An optional minus and a few decimal digits, or undefined. */
export function number(text) {
  return /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** The requests of a connection, one after another. A character is a byte. */
export class Requests {
  constructor() {
    this.chunk = Buffer.alloc(0);
    this.at = 0;
    this.line = ''; // what has come of a line that is not complete
    this.words = null; // what has come of a request that is not complete
    this.missingWords = 0;
    this.leftBytes = 0;
    this.word = null; // what has come of a word that is not complete
    this.missingBytes = 0;
    this.ending = ''; // what has come of what ends it
  }

  /** Gives it more bytes, when next() has found no request more. */
  push(chunk) {
    this.chunk = chunk;
    this.at = 0;
  }

  /** The words of the next request, or undefined until more bytes have come. */
  next() {
    if (this.words === null) {
      const words = this.begun();
      if (this.words === null) return words;
    }
    while (this.missingWords > 0) {
      const word = this.nextWord();
      if (word === undefined) return undefined;
      this.words.push(word);
      this.missingWords--;
    }
    const { words } = this;
    this.words = null;
    return words;
  }

  /** A whole inline command, or undefined; where a request of words begins, they are to come. */
  begun() {
    if (this.at === this.chunk.length) return undefined;
    const first = this.line === '' ? String.fromCharCode(this.chunk[this.at]) : this.line[0];
    if (first !== '*') {
      const line = this.nextLine('too big inline request');
      return line === undefined ? undefined : line.split(/[ \t]+/).filter((word) => word !== '');
    }
    const line = this.nextLine('too big mbulk count string');
    if (line === undefined) return undefined;
    const count = number(line.slice(1));
    if (count === undefined || count > MOST_WORDS) {
      throw new ProtocolError('invalid multibulk length');
    }
    this.words = [];
    this.missingWords = count;
    this.leftBytes = MOST_REQUEST_BYTES;
    return undefined;
  }

  nextWord() {
    if (this.word === null) {
      const line = this.nextLine('too big bulk count string');
      if (line === undefined) return undefined;
      if (line[0] !== '$') throw new ProtocolError(`expected '$', got '${line[0] || ' '}'`);
      const length = number(line.slice(1));
      if (length === undefined || length < 0 || length > this.leftBytes) {
        throw new ProtocolError('invalid bulk length');
      }
      this.leftBytes -= length;
      this.word = '';
      this.missingBytes = length;
      this.ending = '';
    }
    const piece = this.taken(this.missingBytes);
    this.word += piece;
    this.missingBytes -= piece.length;
    if (this.missingBytes > 0) return undefined;
    this.ending += this.taken(CRLF.length - this.ending.length);
    if (this.ending.length < CRLF.length) return undefined;
    if (this.ending !== CRLF) throw new ProtocolError('expected CRLF after bulk');
    const { word } = this;
    this.word = null;
    return word;
  }

  /** At most so many bytes of what is left. */
  taken(most) {
    const start = this.at;
    this.at = Math.min(start + most, this.chunk.length);
    return this.chunk.toString('latin1', start, this.at);
  }

  nextLine(tooBig) {
    let end = this.at;
    while (end < this.chunk.length && this.chunk[end] !== LF) end++;
    this.line += this.chunk.toString('latin1', this.at, end);
    this.at = end;
    if (this.line.length > MOST_LINE_BYTES) throw new ProtocolError(tooBig);
    if (end === this.chunk.length) return undefined;
    this.at++;
    const line = this.line.endsWith('\r') ? this.line.slice(0, -1) : this.line;
    this.line = '';
    return line;
  }
}
