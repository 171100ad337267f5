// The JavaScript half of the program contract for services: options, the lines `start`, `ready` and
// `end`, worker processes, the end on SIGTERM. It stands beside harness.js and, unlike it, may use
// what Node 20 understands: no framework here runs on an older one.

import cluster from 'node:cluster';
import fs from 'node:fs';
import net from 'node:net';

import { describe, integer, Output, oneOf, quote, UsageError } from './harness.js';

const GREATEST_SEED = 2n ** 64n - 1n;
const MOST_THREADS = 2n ** 31n - 1n;
const MOST_PORTS = 65535n;
/**
 * How long a connection may idle: as behind any load balancer, longer than its client keeps it. The
 * runtimes' own 5 to 10 s would close connections on which a request is on its way.
 */
export const KEEP_ALIVE_MS = 75000;
const STOP_LIMIT_MS = 4000; // the contract's 5 s, less what ending the processes takes
const LISTENING_FAULTS = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND'];

/**
 * Carries out a service as its command line asks, in as many worker processes as it has threads.
 *
 * `service` has `name`, `tier`, `workloads` (the first is what it does unless told), `parameters`
 * ({name: preset}, all texts), `inputs` (how many --input it takes), where all must stay in one
 * process `maxThreads` (1), and
 *   start(options) -> {port, stop()}    may be asynchronous; so may stop(), which lets the requests
 *                                       under way be answered
 * `options` are what parseOptions gives, with `worker` and `workers`: which of how many this is.
 */
export function serve(service) {
  const perform = cluster.isPrimary ? performPrimary : performWorker;
  perform(service).catch((error) => {
    if (!(error instanceof UsageError)) throw error;
    fs.writeSync(2, `${service.name}: ${error.message}\n`);
    process.exit(2);
  });
}

/** What belongs to worker number `worker` when `total` is shared out; at least one. */
export function share(total, { worker, workers }) {
  return Math.max(1, Math.floor(total / workers) + (worker < total % workers ? 1 : 0));
}

/** Has a server of node:http listen; rejects where it cannot. */
export function listening(server, host, port) {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

/** Stops a server of node:http: a connection is closed behind the answer that it waits for. */
export function closeServer(server) {
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close');
  });
  return new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
}

async function performPrimary(service) {
  const options = parseOptions(service, process.argv.slice(2));
  const output = new Output();
  const limited = { maxThreads: Infinity, ...service };
  output.say('start', describe(limited, options, process.hrtime.bigint()));
  const alone = Math.min(options.threads, limited.maxThreads) === 1;
  const running = alone ? await started(service, options) : await workers(options);
  const stopped = once(process, 'SIGTERM').then(() => stop(running));
  output.say('ready', { host: options.host, port: running.port });
  output.flush();
  await stopped;
  output.say('end', { iterations: 0 });
  output.flush();
  process.exit(0);
}

async function performWorker(service) {
  const options = parseOptions(service, process.argv.slice(2));
  options.worker = Number(process.env.RUNFAIR_WORKER);
  options.port = Number(process.env.RUNFAIR_WORKER_PORT);
  const ended = once(process, 'SIGTERM');
  let running;
  try {
    running = await started(service, options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.send({ mistake: error.message });
    return;
  }
  process.send({ port: running.port });
  await ended;
  await stop(running);
  process.exit(0);
}

async function started(service, options) {
  try {
    return await service.start(options);
  } catch (error) {
    if (!LISTENING_FAULTS.includes(error.code)) throw error;
    throw new UsageError(cannotListen(options, error));
  }
}

function cannotListen({ host, port }, error) {
  return `--host ${quote(host)} --port ${port} cannot be listened on: ${error.code}`;
}

/** Ends what runs; connections that keep it from ending in time are left to the process's end. */
function stop(running) {
  const limit = new Promise((resolve) => setTimeout(resolve, STOP_LIMIT_MS));
  return Promise.race([running.stop(), limit]);
}

/** Worker processes that share one port. Throws UsageError for the first mistake of any. */
async function workers(options) {
  // Node's primary process accepts for its workers. Bun's workers listen for themselves, and the
  // kernel would let them join another service's port: whether it is free is tried beforehand.
  const port = process.versions.bun ? await freePort(options) : options.port;
  const all = Array.from({ length: options.threads }, (_, worker) =>
    cluster.fork({ RUNFAIR_WORKER: worker, RUNFAIR_WORKER_PORT: port }),
  );
  let stopping = false;
  const ends = all.map((worker) => once(worker, 'exit'));
  for (const worker of all) {
    worker.once('exit', (status) => {
      if (!stopping) process.exit(status || 1); // its own message is on standard error already
    });
  }
  const told = await Promise.all(all.map((worker) => once(worker, 'message')));
  const mistake = told.find((message) => message.mistake !== undefined);
  if (mistake) {
    stopping = true;
    for (const worker of all) worker.process.kill('SIGKILL');
    throw new UsageError(mistake.mistake);
  }
  return {
    port: told[0].port,
    stop() {
      stopping = true;
      for (const worker of all) worker.process.kill('SIGTERM');
      return Promise.all(ends);
    },
  };
}

async function freePort(options) {
  const probe = net.createServer();
  probe.listen(options.port, options.host);
  await new Promise((resolve, reject) => {
    probe.once('listening', resolve);
    probe.once('error', (error) => reject(new UsageError(cannotListen(options, error))));
  });
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function once(emitter, event) {
  return new Promise((resolve) => emitter.once(event, resolve));
}

/** Reads the command line. Throws UsageError. */
function parseOptions(service, words) {
  const options = {
    host: '127.0.0.1',
    port: 0,
    workload: service.workloads[0],
    size: 'unnamed',
    seed: 1n,
    threads: 1,
    inputs: [],
    parameters: { ...service.parameters },
    worker: 0,
    workers: 1,
  };
  const take = {
    '--host': (value) => {
      options.host = value;
    },
    '--port': (value, option) => {
      options.port = Number(integer(value, 0n, MOST_PORTS, option));
    },
    '--workload': (value) => {
      options.workload = oneOf(value, service.workloads, 'workload');
    },
    '--size': (value) => {
      options.size = value;
    },
    '--seed': (value, option) => {
      options.seed = integer(value, 0n, GREATEST_SEED, option);
    },
    '--threads': (value, option) => {
      options.threads = Number(integer(value, 1n, MOST_THREADS, option));
      options.workers = options.threads;
    },
    '--input': (value) => {
      options.inputs.push(value);
    },
    '--param': (value, option) => {
      const [name, ...rest] = value.split('=');
      if (rest.length === 0)
        throw new UsageError(`${option} takes NAME=VALUE, not ${quote(value)}`);
      options.parameters[oneOf(name, Object.keys(service.parameters), 'parameter')] =
        rest.join('=');
    },
  };
  for (let at = 0; at < words.length; at += 2) {
    const [option, value] = words.slice(at, at + 2);
    if (!Object.hasOwn(take, option)) {
      const known = Object.keys(take).join(', ');
      throw new UsageError(`unknown option ${quote(option)}; the options are ${known}`);
    }
    if (value === undefined || value.startsWith('--')) {
      throw new UsageError(`${option} needs a value after it`);
    }
    take[option](value, option);
  }
  if (options.inputs.length !== service.inputs) {
    throw new UsageError(`takes ${service.inputs} --input PATH, not ${options.inputs.length}`);
  }
  return options;
}
