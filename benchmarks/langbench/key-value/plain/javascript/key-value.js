// A server of keys and values, written from the contract alone in the JavaScript of 2018:
// langbench/key-value/contract.md.

import { once } from 'events';
import net from 'net';

import { serve } from '../../../../harness/services/javascript/service.js';
import { Commands, error, lower } from './commands.js';
import { ProtocolError, Requests } from './requests.js';
import { Store } from './store.js';

const BACKLOG = 4096; // Linux's own limit (net.core.somaxconn)
const LEAVE_LIMIT_MS = 1000;
const MOST_KEPT_BYTES = 65536;

function load(options) {
  const workload = options.text('workload');
  const keys = options.number('keys');
  let rows = options.number('rows');
  if (rows === 0) {
    rows = workload === 'spread' ? 1 : 1024;
    while (workload === 'spread' && rows < keys) rows *= 2;
  }
  let capacity = options.number('capacity_bytes');
  if (capacity === 0 && workload === 'capped') {
    capacity = Math.max(1, Math.floor((keys * options.number('value_bytes') * 3) / 4));
  }
  return new Store(rows, capacity);
}

/** Replies to the requests of a client, one after another, while the client reads the replies. */
function converse(socket, commands) {
  const requests = new Requests();
  let open = true;
  let isFull = false; // until the client has read what was sent
  let replies = [];
  let kept = 0;

  function send() {
    if (kept > 0 && !socket.write(Buffer.concat(replies))) isFull = true;
    replies = [];
    kept = 0;
  }

  function keep(reply) {
    replies.push(reply);
    kept += reply.length;
    if (kept >= MOST_KEPT_BYTES) send();
  }

  function answer() {
    try {
      while (open && !isFull) {
        const words = requests.next();
        if (words === null) break;
        if (words.length === 0) continue;
        keep(commands.reply(words));
        open = lower(words[0]) !== 'quit';
      }
    } catch (mistake) {
      if (!(mistake instanceof ProtocolError)) throw mistake;
      keep(error(`ERR Protocol error: ${mistake.message}`));
      open = false;
    }
    send();
    if (!open) socket.destroySoon();
    else if (isFull) socket.pause();
    else socket.resume();
  }

  socket.on('data', (chunk) => {
    requests.add(chunk);
    answer();
  });
  socket.on('drain', () => {
    isFull = false;
    answer();
  });
  socket.on('error', () => {}); // a reset by the client is an end like any other
}

async function start(options, { host, port }) {
  const commands = new Commands(load(options), options.has('count'));
  const sockets = new Set();
  const server = net.createServer((socket) => {
    socket.setNoDelay();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    converse(socket, commands);
  });
  server.listen({ host, port, backlog: BACKLOG });
  await once(server, 'listening');
  return {
    port: server.address().port,
    stop() {
      for (const socket of sockets) socket.destroySoon();
      setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, LEAVE_LIMIT_MS);
      return new Promise((resolve) => server.close(resolve));
    },
    counters: () => commands.counters(),
  };
}

serve({ name: 'key-value', tier: 'plain', maxThreads: 1, start });
