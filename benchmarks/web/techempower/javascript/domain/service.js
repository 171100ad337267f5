// What the services have in common: their command line, their tests' words, their database.

import { serve } from '../../../../harness/services/javascript/service.js';

/** Longer than a client keeps an idle connection, as behind a load balancer. */
export const KEEP_ALIVE_MS = 75000;
export const GREETING = 'Hello, World!';

/**
 * Runs the web tests on a framework. `openDatabase(url, connections)` opens the tables, which have
 * close(). `start(database, place)` gives {port, stop()}. `database` is undefined without a URL.
 * `place` has `host` and `port`, and says whether other processes listen on the port (`shared`).
 */
export function serveTests(tier, openDatabase, start) {
  serve({
    name: 'techempower',
    tier,
    maxThreads: Infinity,
    async start(options, { host, port, worker, workers }) {
      const url = process.env.DATABASE_URL;
      const connections = share(options.number('connections'), worker, workers);
      const database = url === undefined ? undefined : await openDatabase(url, connections);
      const server = await start(database, { host, port, shared: workers > 1 });
      return {
        port: server.port,
        async stop() {
          await server.stop();
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
