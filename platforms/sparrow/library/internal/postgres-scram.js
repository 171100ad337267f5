// The login by SCRAM-SHA-256 (RFC 5802 and 7677), bound to the server's certificate over TLS.

import { digest, fromBase64, hmac, randomBytes, toBase64 } from 'sparrow:crypto';
import { joined } from 'sparrow:internal/bytes';
import native from 'sparrow:native';

const NONCE_BYTES = 18;
const PLAIN = 'SCRAM-SHA-256';
const BOUND = 'SCRAM-SHA-256-PLUS';

export class Scram {
  #password;
  #nonce = toBase64(randomBytes(NONCE_BYTES));
  #signature = '';
  #verified = false;
  #header;
  #binding;

  /** `offered`: the server's mechanisms; `endPoint`: the digest of its certificate, or empty. */
  constructor(password, offered, endPoint) {
    const bound = endPoint.length > 0 && offered.includes(BOUND);
    this.mechanism = bound ? BOUND : PLAIN;
    if (!offered.includes(this.mechanism)) {
      throw new Error('PostgreSQL offers no way to log in that sparrow supports');
    }
    this.#password = native.encode(password.normalize('NFKC'));
    // y: somebody between us has taken the offer away, if the server has made one.
    this.#header = bound ? 'p=tls-server-end-point,,' : endPoint.length > 0 ? 'y,,' : 'n,,';
    this.#binding = joined([native.encode(this.#header), bound ? endPoint : new Uint8Array(0)]);
  }

  /** The first message. PostgreSQL takes the user from the start of the session. */
  first() {
    return `${this.#header}${this.#bare()}`;
  }

  /** The proof, in answer to the server's challenge. Throws for a challenge to somebody else. */
  proof(challenge) {
    const { r: nonce, s: salt, i: iterations } = fields(challenge);
    if (!nonce?.startsWith(this.#nonce) || nonce === this.#nonce || !salt || !(iterations > 0)) {
      throw new Error('the server did not answer the login with a SCRAM challenge');
    }
    const salted = native.pbkdf2Sha256(this.#password, fromBase64(salt), Number(iterations));
    const clientKey = hmac('sha256', salted, 'Client Key');
    const unproven = `c=${toBase64(this.#binding)},r=${nonce}`;
    const signed = `${this.#bare()},${challenge},${unproven}`;
    const signature = hmac('sha256', digest('sha256', clientKey), signed);
    const proof = clientKey.map((byte, i) => byte ^ signature[i]);
    this.#signature = toBase64(hmac('sha256', hmac('sha256', salted, 'Server Key'), signed));
    return `${unproven},p=${toBase64(proof)}`;
  }

  /** Throws for a server that does not know the password either. */
  check(final) {
    this.#verified = this.#signature !== '' && fields(final).v === this.#signature;
    this.end();
  }

  /** Throws for a server that ends the login without its proof. */
  end() {
    if (!this.#verified) throw new Error('the server could not prove that it knows the password');
  }

  #bare() {
    return `n=,r=${this.#nonce}`;
  }
}

const fields = (message) =>
  Object.fromEntries(message.split(',').map((field) => [field[0], field.slice(2)]));
