// Frames of WebSocket (RFC 6455, section 5): those of clients, read strictly, and those of servers.

import { TextDecoder } from 'sparrow:internal/text';

export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;
const CONTINUATION = 0;
const OPCODES = new Set([CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG]);
const FINAL = 0x80;
const RESERVED = 0x70;
const MASKED = 0x80;
const MOST_HEAD_BYTES = 14;
const MOST_CONTROL_BYTES = 125;
const LONG = 126; // the length is in two bytes
const LONGEST = 127; // or in eight
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Why a connection is closed, with the code for the client. */
export class Refused extends Error {
  constructor(code, why) {
    super(why);
    this.code = code;
  }
}

const wrong = (why) => new Refused(1002, why);

/** The text of bytes. Throws Refused for what is not UTF-8. */
export function textOf(bytes) {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refused(1007, 'a text is not UTF-8');
  }
}

/** Reads frames from bytes that come in any pieces, and calls `given(opcode, content)`: whole
 * messages (TEXT has a string as content), and control frames between their fragments. */
export class FrameReader {
  #given;
  #mostBytes;
  #head = new Uint8Array(MOST_HEAD_BYTES);
  #headBytes = 0; // how many of them have arrived
  #content; // the content of the frame under way, once its head is whole
  #contentBytes = 0;
  #kind = 0; // of the message under way; 0: none
  #message = new Uint8Array(); // with room for fragments to come
  #messageBytes = 0;

  constructor(mostBytes, given) {
    this.#mostBytes = mostBytes;
    this.#given = given;
  }

  /** Throws Refused. */
  receive(bytes) {
    let at = 0;
    while (at < bytes.length) {
      if (this.#content === undefined) at = this.#readHead(bytes, at);
      else at = this.#readContent(bytes, at);
    }
  }

  #readHead(bytes, from) {
    const head = this.#head;
    let at = from;
    while (at < bytes.length) {
      head[this.#headBytes++] = bytes[at++];
      if (this.#headBytes === 2) this.#check();
      if (this.#headBytes < 2 || this.#headBytes < 6 + this.#lengthBytes) continue;
      this.#begin();
      break;
    }
    return at;
  }

  get #opcode() {
    return this.#head[0] & 0x0f;
  }

  /** How many bytes the length has behind the first two. */
  get #lengthBytes() {
    const length = this.#head[1] & ~MASKED;
    return length === LONGEST ? 8 : length === LONG ? 2 : 0;
  }

  #check() {
    const [first, second] = this.#head;
    if (first & RESERVED) throw wrong('a reserved bit is set');
    if (!OPCODES.has(this.#opcode)) throw wrong(`there is no opcode ${this.#opcode}`);
    if (!(second & MASKED)) throw wrong('a frame is not masked');
    if (this.#opcode >= CLOSE) {
      if (!(first & FINAL)) throw wrong('a control frame is fragmented');
      if ((second & ~MASKED) > MOST_CONTROL_BYTES) throw wrong('a control frame is too long');
    } else if ((this.#opcode === CONTINUATION) !== (this.#kind !== 0)) {
      throw wrong(
        this.#kind
          ? 'a message begins before the previous message has ended'
          : 'a frame continues a message that has not begun',
      );
    }
  }

  /** Makes room for the frame's content. */
  #begin() {
    const length = this.#length();
    this.#contentBytes = 0;
    if (this.#opcode >= CLOSE) {
      this.#content = new Uint8Array(length);
    } else {
      const size = this.#messageBytes + length;
      if (size > this.#mostBytes) throw new Refused(1009, `more than ${this.#mostBytes} bytes`);
      if (this.#opcode !== CONTINUATION) this.#kind = this.#opcode;
      if (size > this.#message.length) this.#grow(size);
      this.#content = this.#message.subarray(this.#messageBytes, size);
    }
    if (length === 0) this.#end();
  }

  #length() {
    const bytes = this.#lengthBytes;
    const view = new DataView(this.#head.buffer);
    if (bytes === 0) return this.#head[1] & ~MASKED;
    const length = bytes === 2 ? view.getUint16(2) : Number(view.getBigUint64(2));
    if (length < (bytes === 2 ? LONG : 65536)) throw wrong('a length has more bytes than it needs');
    if (length >= 2 ** 63) throw wrong('a length is negative');
    return length;
  }

  /** A message of one frame has no byte to spare; the room for fragments doubles. */
  #grow(size) {
    const final = this.#head[0] & FINAL;
    const grown = new Uint8Array(final ? size : Math.max(size, 2 * this.#message.length));
    grown.set(this.#message.subarray(0, this.#messageBytes));
    this.#message = grown;
  }

  #readContent(bytes, from) {
    const content = this.#content;
    const maskAt = this.#headBytes - 4;
    const count = Math.min(content.length - this.#contentBytes, bytes.length - from);
    for (let i = 0; i < count; i++) {
      const at = this.#contentBytes + i;
      content[at] = bytes[from + i] ^ this.#head[maskAt + (at & 3)];
    }
    this.#contentBytes += count;
    if (this.#contentBytes === content.length) this.#end();
    return from + count;
  }

  #end() {
    const content = this.#content;
    this.#content = undefined;
    this.#headBytes = 0;
    if (this.#opcode >= CLOSE) return this.#given(this.#opcode, content);
    this.#messageBytes += content.length;
    if (!(this.#head[0] & FINAL)) return;
    const whole = this.#message.subarray(0, this.#messageBytes);
    const kind = this.#kind;
    this.#kind = this.#messageBytes = 0;
    this.#message = new Uint8Array();
    this.#given(kind, kind === TEXT ? textOf(whole) : whole);
  }
}

/** A frame of a server: whole, and not masked. */
export function frame(opcode, content) {
  const size = content.length;
  const begin = size < LONG ? 2 : size < 65536 ? 4 : 10;
  const bytes = new Uint8Array(begin + size);
  const view = new DataView(bytes.buffer);
  bytes[0] = FINAL | opcode;
  bytes[1] = begin === 2 ? size : begin === 4 ? LONG : LONGEST;
  if (begin === 4) view.setUint16(2, size);
  if (begin === 10) view.setBigUint64(2, BigInt(size));
  bytes.set(content, begin);
  return bytes;
}
