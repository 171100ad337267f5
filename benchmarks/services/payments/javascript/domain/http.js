// What the servers of node:http have in common.

import { once } from 'node:events';

/**
 * How long a connection may idle: as behind any load balancer, longer than its client keeps it. The
 * runtimes' own 5 to 10 s would close connections on which a request is on its way.
 */
export const KEEP_ALIVE_MS = 75000;

/** Has a server listen; rejects if it cannot. */
export function listening(server, host, port) {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  return once(server, 'listening');
}

/** Stops a server: a connection is closed behind the answer that it waits for. */
export function closeServer(server) {
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close');
  });
  server.close();
  server.closeIdleConnections();
  return once(server, 'close');
}
