// A server of two processes, which answer requests that its first process sends.
const cluster = require('node:cluster');
const net = require('node:net');

const REQUESTS = 6;
const TIMES = 50_000;

function loop(times) {
  let sum = 0;
  for (let at = 0; at < times; at++) sum += at;
  return sum;
}

function send(port, left) {
  if (left === 0) {
    for (const worker of Object.values(cluster.workers)) worker.process.kill();
    return;
  }
  const connection = net.connect(port, '127.0.0.1');
  connection.resume();
  connection.on('close', () => send(port, left - 1));
}

if (cluster.isPrimary) {
  let listening = 0;
  cluster.on('listening', (_, { port }) => {
    listening += 1;
    if (listening === 2) send(port, REQUESTS);
  });
  cluster.fork();
  cluster.fork();
} else {
  net.createServer((connection) => connection.end(String(loop(TIMES)))).listen(0, '127.0.0.1');
}
