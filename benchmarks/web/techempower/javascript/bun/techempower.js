// The web tests on Bun's own server: benchmarks/web/techempower/contract.md.

import { serveOnBun } from '../domain/bun.js';
import { render } from '../domain/fortunes.js';
import { queries } from '../domain/queries.js';
import { GREETING, KEEP_ALIVE_MS } from '../domain/service.js';

function routes(database) {
  return {
    '/plaintext': () => answer(GREETING, 'text/plain'),
    '/json': () => json({ message: GREETING }),
    '/db': async () => json(await database.random()),
    '/queries': async (request) => json(await database.rows(count(request))),
    '/updates': async (request) => json(await database.update(count(request))),
    '/fortunes': async () => answer(render(await database.fortunes()), 'text/html; charset=utf-8'),
  };
}

/** What the URL of a request means as a number of queries. */
function count(request) {
  return queries(new URL(request.url).searchParams.get('queries'));
}

function answer(body, type) {
  return new Response(body, { headers: { Server: 'bun', 'Content-Type': type } });
}

function json(value) {
  return Response.json(value, { headers: { Server: 'bun' } });
}

serveOnBun('bun', (database, { host, port, shared }) =>
  Bun.serve({
    hostname: host,
    port,
    reusePort: shared,
    idleTimeout: KEEP_ALIVE_MS / 1000,
    routes: routes(database),
    fetch: () => new Response('no such path', { status: 404 }),
    error(fault) {
      console.error(fault);
      return new Response('internal error', { status: 500 });
    },
  }),
);
