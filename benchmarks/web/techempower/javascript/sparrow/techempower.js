// The web tests on sparrow: benchmarks/web/techempower/contract.md.

import { html, json, serve as listen, text } from 'sparrow:http';

import { serve } from '../../../../harness/services/javascript/sparrow.js';
import { openDatabase } from './database.js';
import { render } from '../domain/fortunes.js';
import { queries } from '../domain/queries.js';

const GREETING = 'Hello, World!';
const PLAIN = { type: 'text/plain' };

function routes(database) {
  return {
    '/plaintext': () => text(GREETING, PLAIN),
    '/json': () => json({ message: GREETING }),
    '/db': async () => json(await database.random()),
    '/queries': async (request) => json(await database.rows(count(request))),
    '/updates': async (request) => json(await database.update(count(request))),
    '/fortunes': async () => html(render(await database.fortunes())),
  };
}

/** What a query string means as a number of queries. */
function count(request) {
  return queries(request.query.get('queries'));
}

/** What belongs to a worker when `total` is shared out; at least one. */
function share(total, worker, workers) {
  return Math.max(1, Math.floor(total / workers) + (worker < total % workers ? 1 : 0));
}

serve({
  name: 'techempower',
  tier: 'sparrow',
  async start(options, { worker, workers, ...place }) {
    const connections = share(options.number('connections'), worker, workers);
    const database = await openDatabase(process.env.DATABASE_URL, connections);
    const handlers = routes(database);
    const missing = text('no such path', { status: 404 });
    const server = listen(place, (request) => handlers[request.path]?.(request) ?? missing);
    return {
      port: server.port,
      async stop() {
        await server.stop();
        database?.close();
      },
    };
  },
});
