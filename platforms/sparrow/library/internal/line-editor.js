// A line that somebody types at a terminal, with the keys that shells have.

import { joined } from 'sparrow:internal/bytes';
import native from 'sparrow:native';

const MOST_HISTORY = 1000;
const ESC = '\x1b';
const ESCAPE = new RegExp(`^${ESC}(?:\\[|O)([0-9;]*)([A-Za-z~])`);
const UNFINISHED_ESCAPE = new RegExp(`^${ESC}(?:(?:\\[|O)[0-9;]*)?$`);

export class LineEditor {
  online = () => {};
  onend = () => {};
  #write;
  #columns;
  #active = false;
  #prompt = '';
  #line = []; // of characters
  #at = 0; // where the next one goes
  #rest = new Uint8Array(); // of a character whose end has not arrived
  #keys = ''; // that came while no line was asked for, or that are not whole
  #history = [];
  #back = 0; // how many lines of it

  /** `write(text)` shows text; `columns()` is how wide the terminal is. */
  constructor(write, columns) {
    this.#write = write;
    this.#columns = columns;
  }

  /** Asks for a line, which `online(line)` gets. */
  begin(prompt) {
    this.#prompt = prompt;
    this.#set('', 0);
    this.#active = true;
    this.#run();
  }

  press(bytes) {
    const all = joined([this.#rest, bytes]);
    const end = wholeCharacters(all);
    this.#keys += native.decode(all, 0, end);
    this.#rest = all.slice(end);
    this.#run();
  }

  #run() {
    while (this.#active && this.#keys !== '' && !UNFINISHED_ESCAPE.test(this.#keys)) {
      const sequence = ESCAPE.exec(this.#keys);
      const key = sequence ? sequence[0] : String.fromCodePoint(this.#keys.codePointAt(0));
      this.#keys = this.#keys.slice(key.length);
      const act = LineEditor.#KEYS[sequence ? `${sequence[2]} ${sequence[1]}` : key];
      if (act) act(this, this.#at, this.#line.length);
      else if (!sequence && key >= ' ') this.#replace(this.#at, this.#at, [key]);
    }
  }

  /** A key, or the last letter of an escape sequence and its numbers. */
  static #KEYS = {
    '\r': (line) => line.#enter(),
    '\n': (line) => line.#enter(),
    '\x7f': (line, at) => line.#replace(at - 1, at),
    '\b': (line, at) => line.#replace(at - 1, at),
    '~ 3': (line, at) => line.#replace(at, at + 1), // Delete
    '\x04': (line, at, end) => (end === 0 ? line.#close() : line.#replace(at, at + 1)), // Control-D
    '\x15': (line, at) => line.#replace(0, at), // Control-U
    '\x0b': (line, at, end) => line.#replace(at, end), // Control-K
    '\x17': (line, at) => line.#replace(line.#wordBegin(at), at), // Control-W
    '\x01': (line) => line.#move(0), // Control-A
    '\x05': (line, _, end) => line.#move(end), // Control-E
    'H ': (line) => line.#move(0), // Home
    'F ': (line, _, end) => line.#move(end), // End
    'D ': (line, at) => line.#move(at - 1), // left
    'C ': (line, at) => line.#move(at + 1), // right
    'A ': (line) => line.#recall(line.#back + 1), // up
    'B ': (line) => line.#recall(line.#back - 1), // down
  };

  #enter() {
    const text = this.#line.join('');
    if (text.trim() !== '' && text !== this.#history.at(-1)) this.#history.push(text);
    if (this.#history.length > MOST_HISTORY) this.#history.shift();
    this.#active = false;
    this.#write('\n');
    this.online(text);
  }

  #close() {
    this.#active = false;
    this.onend();
  }

  #wordBegin(from) {
    let at = from;
    while (at > 0 && this.#line[at - 1] === ' ') at--;
    while (at > 0 && this.#line[at - 1] !== ' ') at--;
    return at;
  }

  #replace(from, to, characters = []) {
    if (from < 0) return;
    this.#line.splice(from, to - from, ...characters);
    this.#move(from + characters.length);
  }

  #recall(back) {
    if (back < 0 || back > this.#history.length) return;
    this.#set(back === 0 ? '' : this.#history.at(-back), back);
  }

  #set(text, back) {
    this.#back = back;
    this.#line = Array.from(text);
    this.#move(this.#line.length);
  }

  /** Shows what fits beside the prompt: of a longer line, the part around the cursor. */
  #move(at) {
    this.#at = Math.min(Math.max(at, 0), this.#line.length);
    const room = Math.max(this.#columns() - this.#prompt.length - 1, 1);
    const first = Math.max(0, this.#at - room);
    const part = this.#line.slice(first, first + room).join('');
    const column = this.#prompt.length + this.#at - first + 1;
    this.#write(`\r\x1b[K${this.#prompt}${part}\x1b[${column}G`);
  }
}

/** Where a character ends last in bytes of UTF-8. */
function wholeCharacters(bytes) {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    const size = bytes[at] >= 0xf0 ? 4 : bytes[at] >= 0xe0 ? 3 : bytes[at] >= 0xc0 ? 2 : 1;
    if ((bytes[at] & 0xc0) === 0x80) continue; // not the first byte of one
    return at + size <= bytes.length ? bytes.length : at;
  }
  return bytes.length;
}
