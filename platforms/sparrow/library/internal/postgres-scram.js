// The login by SCRAM-SHA-256 (RFC 5802 and 7677).

import { digest, fromBase64, hmac, randomBytes, toBase64 } from 'sparrow:crypto';
import native from 'sparrow:native';

const NONCE_BYTES = 18;
const GS2 = 'n,,'; // no channel binding

export class Scram {
  #password;
  #nonce = toBase64(randomBytes(NONCE_BYTES));
  #signature = '';

  constructor(password) {
    this.#password = native.encode(password.normalize('NFKC'));
  }

  /** The first message. PostgreSQL takes the user from the start of the session. */
  first() {
    return `${GS2}${this.#bare()}`;
  }

  /** The proof, in answer to the server's challenge. Throws for a challenge to somebody else. */
  proof(challenge) {
    const { r: nonce, s: salt, i: iterations } = fields(challenge);
    if (!nonce?.startsWith(this.#nonce) || nonce === this.#nonce || !salt || !(iterations > 0)) {
      throw new Error('the server did not answer the login with a SCRAM challenge');
    }
    const salted = native.pbkdf2Sha256(this.#password, fromBase64(salt), Number(iterations));
    const clientKey = hmac('sha256', salted, 'Client Key');
    const unproven = `c=${toBase64(native.encode(GS2))},r=${nonce}`;
    const signed = `${this.#bare()},${challenge},${unproven}`;
    const signature = hmac('sha256', digest('sha256', clientKey), signed);
    const proof = clientKey.map((byte, i) => byte ^ signature[i]);
    this.#signature = toBase64(hmac('sha256', hmac('sha256', salted, 'Server Key'), signed));
    return `${unproven},p=${toBase64(proof)}`;
  }

  /** Throws for a server that does not know the password either. */
  check(final) {
    if (this.#signature === '' || fields(final).v !== this.#signature) {
      throw new Error('the server could not prove that it knows the password');
    }
  }

  #bare() {
    return `n=,r=${this.#nonce}`;
  }
}

const fields = (message) =>
  Object.fromEntries(message.split(',').map((field) => [field[0], field.slice(2)]));
