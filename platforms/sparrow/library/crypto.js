// Digests, message authentication and random bytes.

import { asBytes, bytesOf } from 'sparrow:internal/bytes';
import native from 'sparrow:native';

/** The digest of a string or bytes; `name` as OpenSSL has it: sha256, sha512, sha1, md5. */
export function digest(name, content) {
  return native.digest(name, asBytes(content));
}

export function hmac(name, key, content) {
  return native.hmac(name, asBytes(key), asBytes(content));
}

export function randomBytes(count) {
  const bytes = new Uint8Array(count);
  native.fillRandom(bytes);
  return bytes;
}

export const toBase64 = (bytes) => bytesOf(bytes).toBase64();
export const fromBase64 = (text) => Uint8Array.fromBase64(text);
export const toHex = (bytes) => bytesOf(bytes).toHex();
