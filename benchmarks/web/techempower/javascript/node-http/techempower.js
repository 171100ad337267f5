// The web tests on node:http: benchmarks/web/techempower/contract.md.

import { once } from 'node:events';
import { createServer } from 'node:http';

import { serve } from '../../../../harness/services/javascript/service.js';
import { openDatabase } from './database.js';
import { render } from './fortunes.js';

// As behind any load balancer, longer than a client keeps an idle connection.
const KEEP_ALIVE_MS = 75000;
const MOST_QUERIES = 500;
const GREETING = 'Hello, World!';
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
  const number = Number.parseInt(new URLSearchParams(query).get('queries'), 10);
  return Math.min(Math.max(number || 1, 1), MOST_QUERIES);
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

/** What belongs to a worker when `total` is shared out; at least one. */
function share(total, worker, workers) {
  return Math.max(1, Math.floor(total / workers) + (worker < total % workers ? 1 : 0));
}

serve({
  name: 'techempower',
  tier: 'node-http',
  maxThreads: Infinity,
  async start(options, { host, port, worker, workers }) {
    const connections = share(options.number('connections'), worker, workers);
    const database = await openDatabase(process.env.DATABASE_URL, connections);
    const server = createServer(listener(routes(database)));
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.listen(port, host);
    await once(server, 'listening');
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
