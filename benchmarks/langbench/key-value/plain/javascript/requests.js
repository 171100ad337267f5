// Requests in RESP2 as a generator that waits for bytes: langbench/key-value/contract.md, "Requests".

const LF = 10;
const CR = 13;
const PIECE_BYTES = 1048576;
const MOST_LINE_BYTES = 65536;
const MOST_WORDS = 1048576;
const MOST_REQUEST_BYTES = 512000000;

export class ProtocolError extends Error {}

/** An optional minus and 1 to 10 digits, otherwise NaN. */
export function number(text) {
  return /^-?[0-9]{1,10}$/.test(text) ? Number(text) : NaN;
}

/** The requests in the bytes of a connection. Words are Buffers. */
export class Requests {
  constructor() {
    this.bytes = Buffer.alloc(0);
    this.generator = this.requests();
  }

  add(chunk) {
    this.bytes = Buffer.concat([this.bytes, chunk]);
  }

  /** The words of the next request, or null if bytes are missing. */
  next() {
    return this.generator.next().value;
  }

  *requests() {
    for (;;) yield yield* this.request();
  }

  *request() {
    while (this.bytes.length === 0) yield null;
    if (this.bytes[0] !== 0x2a) {
      const line = yield* this.line('too big inline request');
      const words = line.toString('latin1').split(/[ \t]/);
      return words.filter((word) => word !== '').map((word) => Buffer.from(word, 'latin1'));
    }
    const count = number((yield* this.line('too big mbulk count string')).toString('latin1', 1));
    if (!(count <= MOST_WORDS)) throw new ProtocolError('invalid multibulk length');
    let left = MOST_REQUEST_BYTES;
    const words = [];
    for (let i = 0; i < count; i++) {
      const line = (yield* this.line('too big bulk count string')).toString('latin1');
      if (!line.startsWith('$')) throw new ProtocolError(`expected '$', got '${line[0] || ' '}'`);
      const length = number(line.slice(1));
      if (!(length >= 0 && length <= left)) throw new ProtocolError('invalid bulk length');
      left -= length;
      words.push(yield* this.take(length));
      const end = yield* this.take(2);
      if (end[0] !== CR || end[1] !== LF) throw new ProtocolError('expected CRLF after bulk');
    }
    return words;
  }

  *line(tooBig) {
    let end = this.bytes.indexOf(LF);
    while (end < 0 && this.bytes.length <= MOST_LINE_BYTES) {
      yield null;
      end = this.bytes.indexOf(LF);
    }
    if (end < 0 || end > MOST_LINE_BYTES) throw new ProtocolError(tooBig);
    const line = this.bytes.slice(0, end > 0 && this.bytes[end - 1] === CR ? end - 1 : end);
    this.bytes = this.bytes.slice(end + 1);
    return line;
  }

  /** So many bytes, in pieces that are joined at the end. */
  *take(length) {
    const pieces = [];
    let missing = length;
    while (missing > 0) {
      while (this.bytes.length === 0) yield null;
      const piece = this.bytes.slice(0, Math.min(missing, PIECE_BYTES));
      this.bytes = this.bytes.slice(piece.length);
      pieces.push(piece);
      missing -= piece.length;
    }
    return Buffer.concat(pieces);
  }
}
