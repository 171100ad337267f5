// What the servers on Node have in common: node-postgres, and how they stop.

import { once } from 'node:events';

import { openDatabase } from './database.js';
import { serveTests } from './service.js';

/** Runs the web tests on a framework: `start(database, place)` gives its listening `node:http` server. */
export function serveOnNode(tier, start) {
  serveTests(tier, openDatabase, async (database, place) => {
    const server = await start(database, place);
    return {
      port: server.address().port,
      stop() {
        // A connection is closed behind the answer that it waits for.
        server.prependListener('request', (_request, response) => {
          response.setHeader('connection', 'close');
        });
        server.close();
        server.closeIdleConnections();
        return once(server, 'close');
      },
    };
  });
}
