// The web tests on node:http: benchmarks/web/techempower/contract.md.

import { once } from 'node:events';
import { createServer } from 'node:http';

import { render } from '../domain/fortunes.js';
import { serveOnNode } from '../domain/node.js';
import { queries } from '../domain/queries.js';
import { GREETING, KEEP_ALIVE_MS } from '../domain/service.js';

const JSON_TYPE = 'application/json';

function routes(database) {
  return {
    '/plaintext': async (response) => send(response, 'text/plain', GREETING),
    '/json': async (response) => sendJson(response, { message: GREETING }),
    '/db': async (response) => sendJson(response, await database.random()),
    '/queries': async (response, query) => sendJson(response, await database.rows(count(query))),
    '/updates': async (response, query) => sendJson(response, await database.update(count(query))),
    '/fortunes': async (response) =>
      send(response, 'text/html; charset=utf-8', render(await database.fortunes())),
  };
}

/** What a query string means as a number of queries. */
function count(query) {
  return queries(new URLSearchParams(query).get('queries'));
}

function sendJson(response, value) {
  send(response, JSON_TYPE, JSON.stringify(value));
}

function send(response, type, body) {
  response.writeHead(200, {
    Server: 'node',
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

function fail(response, status, text) {
  response.writeHead(status, { Server: 'node', 'Content-Type': 'text/plain' });
  response.end(text);
}

function listener(handlers) {
  return (request, response) => {
    const [path, query] = request.url.split('?', 2);
    const handle = handlers[path];
    if (handle === undefined) return fail(response, 404, 'no such path');
    handle(response, query).catch((error) => {
      console.error(error);
      fail(response, 500, 'internal error');
    });
  };
}

serveOnNode('node-http', async (database, { host, port }) => {
  const server = createServer(listener(routes(database)));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  await once(server, 'listening');
  return server;
});
