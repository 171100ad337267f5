// Values of a JSON document.

import { Vector } from './vector.js';

const GUESSES = 32;
const MOST = 255;

class JsonValue {
  isArray() {
    return false;
  }

  isObject() {
    return false;
  }

  asArray() {
    throw new Error('no array');
  }

  asObject() {
    throw new Error('no object');
  }
}

/** Null, true or false. */
export class JsonLiteral extends JsonValue {
  constructor(name) {
    super();
    this.name = name;
  }
}

export class JsonNumber extends JsonValue {
  constructor(digits) {
    super();
    this.digits = digits;
  }
}

export class JsonText extends JsonValue {
  constructor(characters) {
    super();
    this.characters = characters;
  }
}

export class JsonArray extends JsonValue {
  constructor() {
    super();
    this.values = new Vector();
  }

  add(value) {
    this.values.append(value);
  }

  size() {
    return this.values.size();
  }

  isArray() {
    return true;
  }

  asArray() {
    return this;
  }
}

const slot = (name) => (name.length * 1402589) & (GUESSES - 1);

/** An object, whose names are found by a table of guesses. */
export class JsonFields extends JsonValue {
  constructor() {
    super();
    this.names = new Vector();
    this.values = new Vector();
    this.guesses = new Array(GUESSES).fill(0);
  }

  add(name, value) {
    const index = this.names.size();
    this.guesses[slot(name)] = index < MOST ? index + 1 : 0;
    this.names.append(name);
    this.values.append(value);
  }

  /** The value of a name, or null. */
  get(name) {
    let index = this.guesses[slot(name)] - 1;
    if (index < 0 || name !== this.names.at(index)) index = this.place(name);
    return index < 0 ? null : this.values.at(index);
  }

  place(name) {
    for (let i = this.names.size() - 1; i >= 0; i--) {
      if (name === this.names.at(i)) return i;
    }
    return -1;
  }

  isObject() {
    return true;
  }

  asObject() {
    return this;
  }
}
