import { once } from 'node:events';
import net from 'node:net';

import { Connection } from './connection.js';
import { Statistics } from './statistics.js';

const BACKLOG = 4096; // Linux's own limit (net.core.somaxconn)
const LEAVE_LIMIT_MS = 1000;

/** Serves connections from one store, on the event loop. Rejects if it cannot listen. */
export async function startServer(store, counting, { host, port }) {
  const statistics = new Statistics();
  const sockets = new Set();
  const server = net.createServer((socket) => {
    socket.setNoDelay();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    new Connection(socket, store, statistics, counting);
  });
  server.listen({ host, port, backlog: BACKLOG });
  await once(server, 'listening');
  return {
    port: server.address().port,
    stop() {
      for (const socket of sockets) socket.destroySoon();
      // Who does not take the answers is left.
      setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, LEAVE_LIMIT_MS);
      return new Promise((resolve) => server.close(resolve));
    },
    counters: () => statistics.counters(store.entries()),
  };
}
