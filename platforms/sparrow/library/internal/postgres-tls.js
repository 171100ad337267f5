// TLS on a connection to PostgreSQL, which is asked for in clear text.

import { connect } from 'sparrow:tcp';

const REQUEST = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47); // SSLRequest: 80877103
const YES = 'S'.charCodeAt(0);
const NO = 'N'.charCodeAt(0);

/**
 * The connection after its handshake. If `tls.mode` is `prefer`, TLS is left out if the server has
 * none; if its handshake fails, over a new connection.
 */
export async function encrypted(socket, { host, port, tls, connectMs }) {
  if (tls === undefined || host.startsWith('/')) return socket;
  const preferred = tls.mode === 'prefer';
  const refused = (reason) => new Error(`PostgreSQL at ${host}:${port} ${reason}`);
  const begun = Promise.withResolvers();
  socket.onerror = begun.reject;
  socket.onend = () => begun.reject(refused('closed the connection when asked for TLS'));
  socket.ondata = (bytes) => {
    // Nobody vouches for further bytes, which would be taken for the server's after the handshake.
    if (bytes.length > 1 || (bytes[0] !== YES && bytes[0] !== NO))
      return begun.reject(refused('gave no valid answer when asked for TLS'));
    if (bytes[0] === NO && preferred) return begun.resolve(socket);
    if (bytes[0] === NO)
      return begun.reject(refused(`has no TLS, but sslmode=${tls.mode} requires it`));
    // At once: what arrives now belongs to the handshake, whose failure its promise tells.
    socket.onerror = () => {};
    const secured = socket.secure({ servername: host, handshakeMs: connectMs, ...tls });
    begun.resolve(preferred ? secured.catch(() => connect(host, port)) : secured);
  };
  try {
    socket.write(REQUEST);
    return await begun.promise;
  } catch (error) {
    socket.close();
    throw error;
  }
}
