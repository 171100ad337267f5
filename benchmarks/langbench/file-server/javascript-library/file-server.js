// Static files by node:http and streams: langbench/file-server/contract.md.

import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import { serve } from '../../../harness/services/javascript/service.js';
import { load } from '../javascript/server.js';

/** As behind any load balancer, longer than a client keeps an idle connection. */
const KEEP_ALIVE_MS = 75000;
const TYPES = {
  '.txt': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

serve({
  name: 'file-server',
  tier: 'library',
  maxThreads: 1,
  async start(options, { host, port }) {
    const folder = load(options);
    const server = createServer((request, response) => answer(folder, request, response));
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.listen(port, host);
    await once(server, 'listening');
    return { port: server.address().port, stop: () => close(server) };
  },
});

/** A connection is closed behind the answer that it waits for. */
function close(server) {
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close');
  });
  server.close();
  server.closeIdleConnections?.(); // from Node 18.2 on; older ones wait for the time limit
  return once(server, 'close');
}

async function answer(folder, request, response) {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  const file = fileOf(folder, request.url);
  const status = file && (await stat(file).catch(() => undefined));
  if (!status?.isFile()) {
    response.writeHead(404, { 'Content-Length': 0 }).end();
    return;
  }
  response.writeHead(200, {
    'Last-Modified': status.mtime.toUTCString(),
    'Content-Type': TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream',
    'Content-Length': status.size,
  });
  if (request.method === 'HEAD') response.end();
  // A client that leaves ends the stream as well.
  else await pipeline(createReadStream(file), response).catch(() => {});
}

/** Undefined where the name leads out of the folder, or is none. */
function fileOf(folder, url) {
  try {
    const { pathname } = new URL(url, 'http://localhost');
    const file = path.join(folder, decodeURIComponent(pathname));
    return file.startsWith(folder + path.sep) && !file.includes('\0') ? file : undefined;
  } catch (error) {
    if (error instanceof URIError || error instanceof TypeError) return undefined;
    throw error;
  }
}
