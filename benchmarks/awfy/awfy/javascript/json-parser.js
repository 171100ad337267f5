// A parser of JSON that looks at one character after the other, each a string.

import { counts } from './counts.js';
import { JsonArray, JsonFields, JsonLiteral, JsonNumber, JsonText } from './json-value.js';

export class JsonParser {
  constructor(input) {
    this.input = input;
    this.index = -1;
    this.current = null; // at the end
    this.captured = '';
    this.captureStart = 0;
  }

  parse() {
    this.read();
    this.skipSpace();
    const value = this.value();
    this.skipSpace();
    if (this.current !== null) throw this.unexpected('the end');
    return value;
  }

  read() {
    counts.steps++; // tick
    this.index++;
    this.current =
      this.index < this.input.length ? this.input.substring(this.index, this.index + 1) : null;
  }

  is(character) {
    return character === this.current;
  }

  /** Reads the character if it is there; whether it was. */
  skip(character) {
    if (!this.is(character)) return false;
    this.read();
    return true;
  }

  require(character) {
    if (!this.skip(character)) throw this.unexpected(character);
  }

  skipSpace() {
    while (this.is(' ') || this.is('\t') || this.is('\n') || this.is('\r')) this.read();
  }

  unexpected(wanted) {
    return new Error(`no ${wanted} at character ${this.index}`);
  }

  value() {
    if (this.is('n')) return this.literal('null');
    if (this.is('t')) return this.literal('true');
    if (this.is('f')) return this.literal('false');
    if (this.is('"')) return new JsonText(this.text());
    if (this.is('[')) return this.array();
    if (this.is('{')) return this.object();
    if (this.is('-') || this.isDigit()) return this.number();
    throw this.unexpected('value');
  }

  literal(name) {
    for (let i = 0; i < name.length; i++) this.require(name.substring(i, i + 1));
    return new JsonLiteral(name);
  }

  array() {
    this.read();
    const array = new JsonArray();
    this.skipSpace();
    if (this.skip(']')) return array;
    do {
      this.skipSpace();
      array.add(this.value());
      this.skipSpace();
    } while (this.skip(','));
    this.require(']');
    return array;
  }

  object() {
    this.read();
    const object = new JsonFields();
    this.skipSpace();
    if (this.skip('}')) return object;
    do {
      this.skipSpace();
      if (!this.is('"')) throw this.unexpected('name');
      const name = this.text();
      this.skipSpace();
      this.require(':');
      this.skipSpace();
      object.add(name, this.value());
      this.skipSpace();
    } while (this.skip(','));
    this.require('}');
    return object;
  }

  text() {
    this.read();
    this.startCapture();
    while (!this.is('"')) {
      if (this.current === null) throw this.unexpected('end of a string');
      if (this.is('\\')) {
        this.pauseCapture();
        this.escape();
        this.startCapture();
      } else {
        this.read();
      }
    }
    const text = this.endCapture();
    this.read();
    return text;
  }

  escape() {
    this.read();
    if (this.is('"') || this.is('/') || this.is('\\')) this.captured += this.current;
    else if (this.is('b')) this.captured += '\b';
    else if (this.is('f')) this.captured += '\f';
    else if (this.is('n')) this.captured += '\n';
    else if (this.is('r')) this.captured += '\r';
    else if (this.is('t')) this.captured += '\t';
    else throw this.unexpected('escape sequence');
    this.read();
  }

  number() {
    this.startCapture();
    this.skip('-');
    const isZero = this.is('0');
    this.requireDigit();
    if (!isZero) this.digits();
    if (this.skip('.')) {
      this.requireDigit();
      this.digits();
    }
    if (this.skip('e') || this.skip('E')) {
      if (!this.skip('+')) this.skip('-');
      this.requireDigit();
      this.digits();
    }
    return new JsonNumber(this.endCapture());
  }

  isDigit() {
    return (
      this.is('0') ||
      this.is('1') ||
      this.is('2') ||
      this.is('3') ||
      this.is('4') ||
      this.is('5') ||
      this.is('6') ||
      this.is('7') ||
      this.is('8') ||
      this.is('9')
    );
  }

  digits() {
    while (this.isDigit()) this.read();
  }

  requireDigit() {
    if (!this.isDigit()) throw this.unexpected('digit');
    this.read();
  }

  startCapture() {
    this.captureStart = this.index;
  }

  pauseCapture() {
    this.captured += this.input.substring(this.captureStart, this.index);
  }

  endCapture() {
    this.pauseCapture();
    const all = this.captured;
    this.captured = '';
    return all;
  }
}
