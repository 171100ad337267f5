// The web tests on Elysia: benchmarks/web/techempower/contract.md.

import { Elysia } from 'elysia';

import { serveOnBun } from '../domain/bun.js';
import { render } from '../domain/fortunes.js';
import { queries } from '../domain/queries.js';
import { GREETING, KEEP_ALIVE_MS } from '../domain/service.js';

function application(database, options) {
  return new Elysia(options)
    .headers({ server: 'elysia' })
    .onError(({ code, error }) => {
      if (code !== 'NOT_FOUND') console.error(error);
    })
    .get('/plaintext', () => GREETING)
    .get('/json', () => ({ message: GREETING }))
    .get('/db', () => database.random())
    .get('/queries', ({ query }) => database.rows(queries(query.queries)))
    .get('/updates', ({ query }) => database.update(queries(query.queries)))
    .get('/fortunes', async ({ set }) => {
      set.headers['content-type'] = 'text/html; charset=utf-8';
      return render(await database.fortunes());
    });
}

serveOnBun('elysia', (database, { host, port, shared }) => {
  const serve = { reusePort: shared, idleTimeout: KEEP_ALIVE_MS / 1000 };
  return application(database, { serve }).listen({ hostname: host, port }).server;
});
