// A prepared statement of one connection, and how its rows become objects.

import { at32, binaryDecoder, textDecoder } from 'sparrow:internal/postgres-types';

export const TEXT = 0;
export const BINARY = 1;

export class Statement {
  parsed = false; // Parse was sent
  ready = false; // and PostgreSQL has accepted it
  used = false; // since its connection last looked for one to drop
  textRow = undefined; // (bytes, at) => object, for rows in the text format
  formats = []; // of each column; empty until the columns are known
  #columns = [];
  #row = undefined;

  constructor(name, text) {
    this.name = name;
    this.text = text;
  }

  /** Takes the columns of a RowDescription whose content is at `at`. */
  describe(bytes, at, decode) {
    const columns = [];
    let next = at + 2;
    for (let count = (bytes[at] << 8) | bytes[at + 1]; count > 0; count--) {
      const end = bytes.indexOf(0, next);
      const type = at32(bytes, end + 7);
      columns.push({ name: decode(bytes, next, end), type });
      next = end + 19;
    }
    this.textRow = rowMaker(columns, textDecoder);
    this.#columns = columns;
    this.formats = columns.map(({ type }) => (binaryDecoder(type) ? BINARY : TEXT));
  }

  /** Like `textRow`, for rows in these formats. */
  get row() {
    this.#row ??= rowMaker(this.#columns, (type) => binaryDecoder(type) ?? textDecoder(type));
    return this.#row;
  }
}

/**
 * A function that makes an object of a DataRow whose columns begin at `at`. It is compiled for
 * these columns: all rows then have one shape, and no list of values is made between.
 */
function rowMaker(columns, decoderOf) {
  const steps = columns.map(
    (_, i) => `
      size = at32(bytes, at); at += 4;
      const c${i} = size < 0 ? null : d[${i}](bytes, at, at + size);
      if (size > 0) at += size;`,
  );
  const fields = columns.map(({ name }, i) => {
    const key = JSON.stringify(name);
    return name === '__proto__' ? `[${key}]: c${i}` : `${key}: c${i}`;
  });
  const body = `return (bytes, at) => { let size = 0; ${steps.join('')} return { ${fields.join(', ')} }; };`;
  const decoders = columns.map(({ type }) => decoderOf(type));
  return new Function('d', 'at32', body)(decoders, at32);
}
