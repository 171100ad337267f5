// A prepared statement of one connection, and how its rows become objects.

import { decoderOf } from 'sparrow:postgres-types';

export class Statement {
  parsed = false; // Parse was sent
  ready = false; // and PostgreSQL has accepted it
  row = undefined; // (bytes, at) => object

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
      columns.push({ name: decode(bytes, next, end), decoder: decoderOf(type) });
      next = end + 19;
    }
    this.row = rowMaker(columns);
  }
}

export const at32 = (bytes, at) =>
  (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];

/**
 * A function that makes an object of a DataRow whose columns begin at `at`. It is compiled for
 * these columns: all rows then have one shape, and no list of values is made between.
 */
function rowMaker(columns) {
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
  const decoders = columns.map(({ decoder }) => decoder);
  return new Function('d', 'at32', body)(decoders, at32);
}
