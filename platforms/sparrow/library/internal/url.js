// URL and URLSearchParams.

import native from 'sparrow:native';

/** The parts that can be set, as src/url.cpp has them; behind them is the origin. */
const PARTS = 'href protocol username password host hostname port pathname search hash'.split(' ');
const HREF = PARTS.indexOf('href');
const SEARCH = PARTS.indexOf('search');
const ORIGIN = PARTS.length;

/** Percent signs are decoded byte by byte; what is not UTF-8 then becomes U+FFFD. */
const decoded = (part) => {
  const spaced = part.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  const bytes = native.encodeLatin1(
    spaced
      .replace(/[^\0-\x7f]+/g, encodeURIComponent)
      .replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
  return native.decode(bytes, 0, bytes.length);
};

const encoded = (part) =>
  encodeURIComponent(part.toWellFormed())
    .replace(/[!'()~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');

/** Reads the pairs of a query in place of all others: how parameters follow their URL. */
let reread;

export class URLSearchParams {
  #pairs = [];
  #changed = () => {};

  /** `changed` is called after each change, with the text: how a URL follows its parameters. */
  constructor(source = '', changed = undefined) {
    this.#read(source);
    if (typeof changed === 'function') this.#changed = changed;
  }

  static {
    reread = (parameters, query) => {
      parameters.#pairs = [];
      parameters.#read(query);
    };
  }

  #read(source) {
    if (typeof source === 'string') {
      const query = source.startsWith('?') ? source.slice(1) : source;
      for (const part of query.split('&')) {
        if (part === '') continue;
        const equals = part.indexOf('=');
        const name = equals < 0 ? part : part.slice(0, equals);
        this.#pairs.push([decoded(name), equals < 0 ? '' : decoded(part.slice(equals + 1))]);
      }
    } else {
      const pairs = typeof source[Symbol.iterator] === 'function' ? source : Object.entries(source);
      for (const [name, value] of pairs) this.append(name, value);
    }
  }

  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
    this.#changed(this.toString());
  }

  get(name) {
    return this.getAll(name)[0] ?? null;
  }

  getAll(name) {
    return this.#pairs.filter(([own]) => own === String(name)).map(([, value]) => value);
  }

  has(name, value = undefined) {
    const values = this.getAll(name);
    return value === undefined ? values.length > 0 : values.includes(String(value));
  }

  /** The first pair of this name gets the value; the others go. */
  set(name, value) {
    const sought = String(name);
    const first = this.#pairs.findIndex(([own]) => own === sought);
    if (first < 0) return this.append(name, value);
    this.#pairs[first][1] = String(value);
    this.#pairs = this.#pairs.filter(([own], index) => own !== sought || index === first);
    this.#changed(this.toString());
  }

  delete(name, value = undefined) {
    this.#pairs = this.#pairs.filter(
      (pair) => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value)),
    );
    this.#changed(this.toString());
  }

  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    this.#changed(this.toString());
  }

  forEach(callback) {
    for (const [name, value] of this.#pairs) callback(value, name, this);
  }

  get size() {
    return this.#pairs.length;
  }

  *entries() {
    for (const [name, value] of this.#pairs) yield [name, value];
  }

  *keys() {
    for (const [name] of this.#pairs) yield name;
  }

  *values() {
    for (const [, value] of this.#pairs) yield value;
  }

  [Symbol.iterator]() {
    return this.entries();
  }

  toString() {
    return this.#pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  }
}

export class URL {
  #parts; // the text of each
  #parameters;

  constructor(text, base = undefined) {
    this.#parse(text, base);
  }

  static canParse(text, base = undefined) {
    return URL.parse(text, base) !== null;
  }

  static parse(text, base = undefined) {
    try {
      return new URL(text, base);
    } catch {
      return null;
    }
  }

  static {
    for (const [at, name] of PARTS.entries()) {
      Object.defineProperty(URL.prototype, name, {
        get() {
          return this.#parts[at];
        },
        set(text) {
          if (at === HREF) this.#parse(text);
          else this.#change(at, text);
          if (this.#parameters && (at === HREF || at === SEARCH)) {
            reread(this.#parameters, this.search);
          }
        },
        enumerable: true,
        configurable: true,
      });
    }
  }

  get origin() {
    return this.#parts[ORIGIN];
  }

  get searchParams() {
    this.#parameters ??= new URLSearchParams(this.search, (text) => this.#change(SEARCH, text));
    return this.#parameters;
  }

  toString() {
    return this.href;
  }

  toJSON() {
    return this.href;
  }

  #parse(text, base = undefined) {
    const parts = native.parseUrl(text, base);
    if (parts === undefined) {
      const behind = base === undefined ? '' : ` (relative to '${base}')`;
      throw new TypeError(`invalid URL: '${text}'${behind}`);
    }
    this.#parts = parts;
  }

  #change(at, text) {
    this.#parts = native.changeUrl(this.href, at, text);
  }
}
