// What the servers on Node have in common: their command line, and how they stop.

import { once } from 'node:events';

import { serve } from '../../../../harness/services/javascript/service.js';
import { openDatabase } from './database.js';

/** As behind any load balancer, longer than a client keeps an idle connection. */
export const KEEP_ALIVE_MS = 75000;
export const GREETING = 'Hello, World!';
const MOST_QUERIES = 500;

/** What a text means as a number of queries. */
export function queries(text) {
  return Math.min(Math.max(Number.parseInt(text, 10) || 1, 1), MOST_QUERIES);
}

/**
 * Runs the web tests on a framework: `start(database, { host, port })` gives its `node:http` server,
 * which listens. `database` is undefined without one.
 */
export function serveTests(tier, start) {
  serve({
    name: 'techempower',
    tier,
    maxThreads: Infinity,
    async start(options, { host, port, worker, workers }) {
      const connections = share(options.number('connections'), worker, workers);
      const database = await openDatabase(process.env.DATABASE_URL, connections);
      const server = await start(database, { host, port });
      return {
        port: server.address().port,
        async stop() {
          // A connection is closed behind the answer that it waits for.
          server.prependListener('request', (_request, response) => {
            response.setHeader('connection', 'close');
          });
          server.close();
          server.closeIdleConnections();
          await once(server, 'close');
          await database?.close();
        },
      };
    },
  });
}

/** What belongs to a worker when `total` is shared out; at least one. */
function share(total, worker, workers) {
  return Math.max(1, Math.floor(total / workers) + (worker < total % workers ? 1 : 0));
}
