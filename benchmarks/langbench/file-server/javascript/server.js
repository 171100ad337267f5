// The service: connections on one event loop, until SIGTERM.

import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { readInput } from '../../../harness/javascript/harness.js';
import { serve } from '../../../harness/services/javascript/service.js';
import { counts } from './answer.js';
import { Connection } from './connection.js';

const STOP_LIMIT_MS = 2000;
const BACKLOG = 4096; // Linux's own limit (net.core.somaxconn)

/** Serves files in at most so many processes. */
export function serveFiles(tier, maxThreads) {
  serve({ name: 'file-server', tier, maxThreads, start });
}

async function start(options, { host, port }) {
  const folder = load(options);
  const conversations = new Map();
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    client.setNoDelay();
    const connection = new Connection(client);
    const over = connection.converse(folder).finally(() => conversations.delete(connection));
    conversations.set(connection, over);
  });
  server.listen({ host, port, backlog: BACKLOG });
  await once(server, 'listening');
  return {
    port: server.address().port,
    stop() {
      server.close();
      for (const connection of conversations.keys()) connection.stop();
      const answered = Promise.all(conversations.values());
      return Promise.race([answered, setTimeout(STOP_LIMIT_MS)]);
    },
    counters: () => counts,
  };
}

/** The folder that is served. Throws UsageError. */
export function load(options) {
  return readInput(options.text('input'), (input) => {
    const folder = path.join(input, 'files');
    fs.opendirSync(folder).closeSync();
    return folder;
  });
}
