// What connections over TLS are made of: certificates, keys and the authorities that are trusted.

import { readText, status } from 'sparrow:files';
import { isBytes } from 'sparrow:internal/bytes';
import { TextDecoder } from 'sparrow:internal/text';
import { wholeText } from 'sparrow:internal/whole-text';
import native from 'sparrow:native';
import { env } from 'sparrow:process';

/** The authorities of a system: Debian, Fedora, OpenSUSE, Alpine. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
/** How a client checks a certificate; -1 is for servers. */
const CHECKS = { none: 0, ca: 1, full: 2 };
const SERVER = -1;

/** PEM as a text or bytes, or the path of a file of it. */
function pem(given) {
  if (isBytes(given)) return new TextDecoder().decode(given);
  if (given !== undefined && typeof given !== 'string')
    throw new TypeError('TLS: a certificate or key must be a text, bytes or the path of a file');
  return given === undefined || given.includes('-----BEGIN ') ? given : readText(given);
}

/** Throws for what is no certificate, and for a key of another certificate. */
export function serverContext({ cert, key } = {}) {
  if (cert === undefined || key === undefined) {
    throw new TypeError('TLS: a server needs a certificate and its key: { cert, key }');
  }
  return native.tlsContext(pem(cert), pem(key), undefined);
}

export const serverSide = (context) => [context, SERVER, '', ''];

const MOST_CONTEXTS = 16;
const contexts = new Map(); // of clients, by what they are made of: a session is resumed by its own

/** What `native.secureStream` needs, in its order. */
export function clientSide({ ca, cert, key, servername = '', verify = 'full', alpn = '' }) {
  const check = CHECKS[verify];
  if (check === undefined)
    throw new RangeError(`TLS: verify must be none, ca or full, not '${verify}'`);
  if (verify === 'full' && servername === '') {
    throw new TypeError(
      'TLS: to verify a certificate, state the name of the server in { servername }',
    );
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError('TLS: cert and key belong together; give both, or neither');
  }
  const ofSystem = ca === undefined && verify !== 'none';
  return [
    clientContext(pem(cert), pem(key), pem(ca), ofSystem),
    check,
    wholeText('a host', servername),
    alpn,
  ];
}

function clientContext(cert, key, ca, ofSystem) {
  const parts = JSON.stringify([cert, key, ca, ofSystem]);
  let context = contexts.get(parts);
  if (context === undefined) {
    context = native.tlsContext(cert, key, ofSystem ? systemAuthorities() : ca);
    if (contexts.size === MOST_CONTEXTS) contexts.delete(contexts.keys().next().value);
    contexts.set(parts, context);
  }
  return context;
}

/** SSL_CERT_FILE stands for the system's authorities, and NODE_EXTRA_CA_CERTS comes to them. */
function systemAuthorities() {
  const bundle = env.SSL_CERT_FILE ?? BUNDLES.find(status);
  if (bundle === undefined) {
    throw new Error(
      'TLS: no file of certificate authorities was found; name one in the environment variable SSL_CERT_FILE',
    );
  }
  const extra = env.NODE_EXTRA_CA_CERTS;
  return readText(bundle) + (extra ? `\n${readText(extra)}` : '');
}
