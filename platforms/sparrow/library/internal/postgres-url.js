// What the URL of a database says: postgresql://USER:PASSWORD@HOST:PORT/NAME?sslmode=MODE.

import { URLSearchParams } from 'sparrow:internal/url';
import { env } from 'sparrow:process';

const PORT = 5432;
const FORM =
  /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\[[^\]]*\]|[^:/?]*)(?::(\d+))?\/([^?]*)(?:\?(.*))?$/;
/** How the modes of TLS verify the server's certificate. */
const VERIFIES = { prefer: 'none', require: 'none', 'verify-ca': 'ca', 'verify-full': 'full' };

/** `user`, `password`, `host`, `port` and `database`; `tls`: undefined, or `secure`'s options. */
export function optionsOf(url) {
  const parts = FORM.exec(url);
  if (!parts) {
    throw new Error(
      `not the URL of a database: ${JSON.stringify(url)}; postgresql://USER@HOST/NAME is one`,
    );
  }
  const [, user = '', password = '', host, port, database] = parts.map(
    (part) => part && decodeURIComponent(part),
  );
  const name = user || env.USER || 'postgres';
  return {
    user: name,
    password,
    host: host.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(port ?? PORT),
    database: database || name,
    tls: tlsOf(Object.fromEntries(new URLSearchParams(parts[6]))),
  };
}

function tlsOf({
  sslmode: mode = 'prefer',
  sslrootcert: ca,
  sslcert: cert,
  sslkey: key,
  ...others
}) {
  for (const name of Object.keys(others)) {
    throw new Error(
      `the URL of a database cannot have ${name}; it can have sslmode, sslrootcert, sslcert and sslkey`,
    );
  }
  if (mode === 'disable') return undefined;
  if (!Object.hasOwn(VERIFIES, mode)) {
    const known = ['disable', ...Object.keys(VERIFIES)].join(', ');
    throw new Error(`sslmode=${mode} is unknown; it can be ${known}`);
  }
  // As with PostgreSQL's own clients, authorities that are named are asked.
  const verify = mode === 'require' && ca !== undefined ? 'ca' : VERIFIES[mode];
  return { mode, verify, ca: verify === 'none' ? undefined : ca, cert, key };
}
