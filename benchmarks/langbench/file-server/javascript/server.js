// The service: connections on one event loop, until SIGTERM.

import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { quote, UsageError } from '../../../harness/javascript/harness.js';
import { serve } from '../../../harness/javascript/service.js';
import { Connection } from './connection.js';

const STOP_LIMIT_MS = 2000;
const BACKLOG = 4096; // Linux's own limit (net.core.somaxconn)

/** Serves files in at most so many processes. */
export function serveFiles(tier, maxThreads) {
  serve({
    name: 'file-server',
    tier,
    workloads: ['logs', 'small-files'],
    parameters: {},
    inputs: 1,
    maxThreads,
    start,
  });
}

async function start({ host, port, inputs }) {
  const folder = load(inputs[0]);
  const conversations = new Map();
  const options = { allowHalfOpen: true, noDelay: true };
  const server = net.createServer(options, (client) => {
    const connection = new Connection(client);
    const over = connection.converse(folder).finally(() => conversations.delete(connection));
    conversations.set(connection, over);
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  });
  return {
    port: server.address().port,
    stop() {
      server.close();
      for (const connection of conversations.keys()) connection.stop();
      const answered = Promise.all(conversations.values());
      return Promise.race([answered, setTimeout(STOP_LIMIT_MS)]);
    },
  };
}

/** The folder that is served. Throws UsageError. */
export function load(input) {
  const folder = path.join(input, 'files');
  try {
    fs.opendirSync(folder).closeSync();
    return folder;
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    throw new UsageError(`--input ${quote(input)} cannot be read: ${error.code}`);
  }
}
