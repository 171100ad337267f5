// The web tests on Fastify: benchmarks/web/techempower/contract.md.

import Fastify from 'fastify';

import { render } from '../domain/fortunes.js';
import { serveOnNode } from '../domain/node.js';
import { queries } from '../domain/queries.js';
import { GREETING, KEEP_ALIVE_MS } from '../domain/service.js';

const integer = { type: 'integer' };
const world = { type: 'object', properties: { id: integer, randomNumber: integer } };
const message = { type: 'object', properties: { message: { type: 'string' } } };

/** Fastify compiles the schema of an answer to the code that writes it. */
const answers = (answer) => ({ schema: { response: { 200: answer } } });
const worlds = answers({ type: 'array', items: world });

function application(database) {
  const app = Fastify({ keepAliveTimeout: KEEP_ALIVE_MS });

  app.addHook('onRequest', async (_request, reply) => {
    reply.header('Server', 'fastify');
  });
  app.get('/plaintext', async (_request, reply) => {
    reply.type('text/plain');
    return GREETING;
  });
  app.get('/json', answers(message), async () => ({ message: GREETING }));
  app.get('/db', answers(world), () => database.random());
  app.get('/queries', worlds, (request) => database.rows(queries(request.query.queries)));
  app.get('/updates', worlds, (request) => database.update(queries(request.query.queries)));
  app.get('/fortunes', async (_request, reply) => {
    reply.type('text/html; charset=utf-8');
    return render(await database.fortunes());
  });
  app.setErrorHandler((error, _request, reply) => {
    console.error(error);
    return reply.code(500).send({ error: 'internal error' });
  });
  return app;
}

serveOnNode('fastify', async (database, { host, port }) => {
  const app = application(database);
  await app.listen({ host, port });
  return app.server;
});
