// TextEncoder and TextDecoder, for UTF-8.

import { bytesOf } from 'sparrow:internal/bytes';
import native from 'sparrow:native';

const MARK = [0xef, 0xbb, 0xbf]; // of the byte order, which is no part of the text

export class TextEncoder {
  encoding = 'utf-8';

  encode(text = '') {
    return native.encode(String(text));
  }

  /** As much of the text as fits, in whole characters. */
  encodeInto(text, bytes) {
    let [read, written] = [0, 0];
    for (const character of String(text)) {
      const size = native.encodeInto(character, bytes, written);
      if (size < 0) break;
      read += character.length;
      written += size;
    }
    return { read, written };
  }
}

export class TextDecoder {
  encoding = 'utf-8';

  constructor(encoding = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
    if (!/^utf-?8$/i.test(encoding))
      throw new RangeError(`the encoding '${encoding}' cannot be decoded, only utf-8 can`);
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }

  /** Throws TypeError for what is not UTF-8, if the decoder is to. */
  decode(bytes = new Uint8Array(), { stream = false } = {}) {
    if (stream)
      throw new RangeError('the decoder decodes all bytes at once, so `stream` must be false');
    const view = bytesOf(bytes);
    const begin = !this.ignoreBOM && MARK.every((byte, i) => byte === view[i]) ? 3 : 0;
    const text = native.decode(view, begin, view.length);
    if (this.fatal && !isEncoded(text, view, begin)) throw new TypeError('this is not UTF-8');
    return text;
  }
}

/** Whether the text is what the bytes say, and not a replacement of what they do not. */
function isEncoded(text, bytes, begin) {
  if (!text.includes('\ufffd')) return true;
  const again = native.encode(text);
  return (
    again.length === bytes.length - begin && again.every((byte, i) => byte === bytes[begin + i])
  );
}
