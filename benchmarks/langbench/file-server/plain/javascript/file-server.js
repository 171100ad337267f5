// A file server, written from the contract alone in the JavaScript of 2019:
// langbench/file-server/contract.md. All connections share the event loop.

import { once } from 'events';
import fs from 'fs';
import net from 'net';
import path from 'path';

import { readInput } from '../../../../harness/javascript/harness.js';
import { serve } from '../../../../harness/services/javascript/service.js';
import { Connection } from './connection.js';
import { counts } from './response.js';

const BACKLOG = 4096; // Linux's own limit (net.core.somaxconn)
const STOP_LIMIT_MS = 2000;

function load(options) {
  return readInput(options.text('input'), (input) => {
    const folder = path.join(input, 'files');
    fs.readdirSync(folder);
    return folder;
  });
}

async function start(options, { host, port }) {
  const folder = load(options);
  const connections = new Set();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.setNoDelay();
    const connection = new Connection(socket, folder);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    connection.converse();
  });
  server.listen({ host, port, backlog: BACKLOG });
  await once(server, 'listening');
  return {
    port: server.address().port,
    stop() {
      for (const connection of connections) connection.stop();
      return new Promise((resolve) => {
        server.close(resolve);
        setTimeout(resolve, STOP_LIMIT_MS);
      });
    },
    counters: () => counts,
  };
}

serve({ name: 'file-server', tier: 'plain', maxThreads: 1, start });
