// A service with a slow path: `slow_path.mjs PORT` computes for some 50 ms at every 30th request.

import { createServer } from 'node:http';

const EVERY = 30;
const STEPS = 8_000_000;
let requests = 0;

function discount(steps) {
  let total = 0;
  for (let step = 0; step < steps; step++) {
    total = (total + 3 * step) % 1_000_003;
  }
  return total;
}

function answer(_request, response) {
  requests += 1;
  const total = requests % EVERY === 0 ? discount(STEPS) : 0;
  response.end(total < 0 ? 'no' : 'hello');
}

const server = createServer(answer).listen(Number(process.argv[2]), '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
