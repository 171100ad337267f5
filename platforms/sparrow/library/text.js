// TextEncoder and TextDecoder, for UTF-8.

import native from 'sparrow:native';

export class TextEncoder {
  encoding = 'utf-8';

  encode(text = '') {
    return native.encode(String(text));
  }
}

export class TextDecoder {
  encoding = 'utf-8';

  constructor(encoding = 'utf-8', { fatal = false } = {}) {
    if (!/^utf-?8$/i.test(encoding))
      throw new RangeError(`no decoder for '${encoding}': only utf-8`);
    if (fatal) throw new RangeError('a decoder that throws is not here: fatal must be false');
  }

  decode(bytes = new Uint8Array()) {
    const view = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes);
    const begin = hasMark(view) ? 3 : 0;
    return native.decode(view, begin, view.byteLength);
  }
}

/** The byte order mark, which is no part of the text. */
function hasMark(view) {
  if (view.byteLength < 3) return false;
  const first = new Uint8Array(view.buffer, view.byteOffset, 3);
  return first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf;
}
