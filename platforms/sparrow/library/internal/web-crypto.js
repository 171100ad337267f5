// The web's crypto: random values, digests and HMAC.

import { digest, hmac, randomBytes } from 'sparrow:crypto';
import { bytesOf } from 'sparrow:internal/bytes';

const HASHES = { 'SHA-1': 'sha1', 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' };
const MOST_RANDOM_BYTES = 65536;

/** A key of HMAC, whose bytes only these functions see. */
class CryptoKey {
  #bytes;
  type = 'secret';

  constructor(bytes, hash, extractable, usages) {
    this.#bytes = bytes;
    this.algorithm = { name: 'HMAC', hash: { name: hash }, length: bytes.length * 8 };
    this.extractable = extractable;
    this.usages = [...usages];
  }

  static bytesOf(key) {
    if (!(key instanceof CryptoKey)) throw new TypeError('this is not a CryptoKey');
    return key.#bytes;
  }
}

const nameOf = (algorithm) => String(algorithm?.name ?? algorithm).toUpperCase();

function hashOf(algorithm) {
  const name = nameOf(algorithm);
  if (name in HASHES) return name;
  throw new TypeError(
    `there is no digest '${name}'; the digests are ${Object.keys(HASHES).join(', ')}`,
  );
}

function onlyHmac(algorithm) {
  const name = nameOf(algorithm);
  if (name !== 'HMAC')
    throw new TypeError(`there is no algorithm '${name}' for keys; the only algorithm is HMAC`);
}

function mac(key, data, usage) {
  const bytes = CryptoKey.bytesOf(key);
  if (!key.usages.includes(usage)) throw new TypeError(`this key is not for '${usage}'`);
  return hmac(HASHES[key.algorithm.hash.name], bytes, bytesOf(data));
}

const subtle = {
  async digest(algorithm, data) {
    return digest(HASHES[hashOf(algorithm)], bytesOf(data)).buffer;
  },

  async importKey(format, data, algorithm, extractable, usages) {
    if (format !== 'raw') throw new TypeError(`no format '${format}' for keys; there is raw`);
    onlyHmac(algorithm);
    const bytes = bytesOf(data).slice();
    if (bytes.length === 0) throw new TypeError('a key has at least one byte');
    return new CryptoKey(bytes, hashOf(algorithm.hash), extractable, usages);
  },

  async exportKey(format, key) {
    if (format !== 'raw') throw new TypeError(`no format '${format}' for keys; there is raw`);
    if (!key.extractable) throw new TypeError('this key is not extractable');
    return CryptoKey.bytesOf(key).slice().buffer;
  },

  async sign(algorithm, key, data) {
    onlyHmac(algorithm);
    return mac(key, data, 'sign').buffer;
  },

  /** Takes the same time whichever byte is wrong. */
  async verify(algorithm, key, signature, data) {
    onlyHmac(algorithm);
    const right = mac(key, data, 'verify');
    const given = bytesOf(signature);
    let difference = right.length ^ given.length;
    for (let at = 0; at < right.length; at++) difference |= right[at] ^ given[at];
    return difference === 0;
  },
};

export const crypto = {
  subtle,

  getRandomValues(view) {
    const bytes = bytesOf(view);
    if (bytes.length > MOST_RANDOM_BYTES) {
      throw new RangeError(`at most ${MOST_RANDOM_BYTES} random bytes at a time`);
    }
    bytes.set(randomBytes(bytes.length));
    return view;
  },

  randomUUID() {
    const bytes = randomBytes(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return bytes.toHex().replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
  },
};
