// Static files by node:http and streams: langbench/file-server/contract.md.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import { closeServer, listening, serve } from '../../../harness/javascript/service.js';
import { load } from '../javascript/server.js';

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
  workloads: ['logs', 'small-files'],
  parameters: {},
  inputs: 1,
  maxThreads: 1,
  async start({ host, port, inputs }) {
    const folder = load(inputs[0]);
    const server = createServer((request, response) => answer(folder, request, response));
    await listening(server, host, port);
    return { port: server.address().port, stop: () => closeServer(server) };
  },
});

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
