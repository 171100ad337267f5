// Headers of the web: names in lower case, in the order of their names.

/** The names of headers and methods (RFC 9110, section 5.6.2), and the values of headers: Latin-1. */
export const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
export const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export class Headers {
  #values = new Map();

  constructor(source = {}) {
    for (const [name, value] of pairsOf(source)) this.append(name, value);
  }

  append(name, value) {
    const [key, text] = checked(name, value);
    this.#values.set(key, [...(this.#values.get(key) ?? []), text]);
  }

  set(name, value) {
    const [key, text] = checked(name, value);
    this.#values.set(key, [text]);
  }

  get(name) {
    return this.#values.get(String(name).toLowerCase())?.join(', ') ?? null;
  }

  getSetCookie() {
    return [...(this.#values.get('set-cookie') ?? [])];
  }

  has(name) {
    return this.#values.has(String(name).toLowerCase());
  }

  delete(name) {
    this.#values.delete(String(name).toLowerCase());
  }

  *entries() {
    for (const name of [...this.#values.keys()].sort()) {
      // A cookie may have a comma in it.
      const values = name === 'set-cookie' ? this.getSetCookie() : [this.get(name)];
      for (const value of values) yield [name, value];
    }
  }

  *keys() {
    for (const [name] of this.entries()) yield name;
  }

  *values() {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(callback) {
    for (const [name, value] of this.entries()) callback(value, name, this);
  }

  [Symbol.iterator]() {
    return this.entries();
  }
}

/** The names and values of Headers, a Map, an array of pairs, or an object. */
export function pairsOf(source) {
  if (typeof source[Symbol.iterator] !== 'function') return Object.entries(source);
  const pairs = [...source];
  if (typeof source === 'string' || pairs.some((pair) => pair.length !== 2)) {
    throw new TypeError('headers must be Headers, a Map, an array of pairs, or an object');
  }
  return pairs;
}

/** The name in lower case and the value without white space around it. Throws TypeError. */
function checked(name, value) {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (!TOKEN.test(name) || !VALUE.test(text)) {
    throw new TypeError(`${JSON.stringify(name)}: ${JSON.stringify(text)} is not a valid header`);
  }
  return [String(name).toLowerCase(), text];
}
