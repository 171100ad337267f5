// What is behind the question mark of a URL.

const decoded = (part) => {
  const spaced = part.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced; // not UTF-8: as it came
  }
};

const encoded = (part) => encodeURIComponent(part).replaceAll('%20', '+');

export class URLSearchParams {
  #pairs = [];

  constructor(source = '') {
    if (typeof source === 'string') {
      const query = source.startsWith('?') ? source.slice(1) : source;
      for (const part of query.split('&')) {
        if (part === '') continue;
        const equals = part.indexOf('=');
        const name = equals < 0 ? part : part.slice(0, equals);
        this.append(decoded(name), equals < 0 ? '' : decoded(part.slice(equals + 1)));
      }
    } else {
      const pairs = typeof source[Symbol.iterator] === 'function' ? source : Object.entries(source);
      for (const [name, value] of pairs) this.append(name, value);
    }
  }

  append(name, value) {
    this.#pairs.push([String(name), String(value)]);
  }

  get(name) {
    return this.#pairs.find(([own]) => own === name)?.[1] ?? null;
  }

  getAll(name) {
    return this.#pairs.filter(([own]) => own === name).map(([, value]) => value);
  }

  has(name) {
    return this.#pairs.some(([own]) => own === name);
  }

  set(name, value) {
    this.delete(name);
    this.append(name, value);
  }

  delete(name) {
    this.#pairs = this.#pairs.filter(([own]) => own !== name);
  }

  [Symbol.iterator]() {
    return this.#pairs.values();
  }

  toString() {
    return this.#pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
  }
}
