// Services: one process for each of their threads, the line `ready`, the end on SIGTERM.

import cluster from 'cluster';
import { once } from 'events';
import net from 'net';
import { setTimeout } from 'timers/promises';

import { carryOut, Output, UsageError } from '../../javascript/harness.js';

const STOP_LIMIT_MS = 4000; // the contract's 5 s, less what ending the processes takes

/**
 * Runs a service: `name`, `tier`, `maxThreads`, and start(options, place) -> {port, stop(),
 * counters()}, which may be asynchronous as stop may be. `place` has `host` and `port`, and says
 * which `worker` of how many `workers` this process is. stop lets the requests under way be
 * answered. Counters are there unless a library does the work.
 */
export function serve(service) {
  carryOut(service, cluster.isPrimary ? performPrimary : performWorker);
}

async function performPrimary(service, options) {
  const workers = Math.min(options.number('threads'), service.maxThreads);
  const output = new Output(service, workers);
  const place = { host: options.text('host'), port: options.number('port'), worker: 0, workers };
  const running = await (workers === 1 ? started(service, options, place) : forked(options, place));
  const terminated = once(process, 'SIGTERM');
  output.say('ready', { host: place.host, port: running.port });
  output.flush();
  await terminated;
  await stopped(running);
  const counters = options.has('count') && running.counters?.();
  if (counters) output.say('operations', { counters });
  output.say('end', { iterations: 0 });
  output.flush();
  process.exit(0);
}

/** The first message is empty, or a mistake; the second is what was counted. */
async function performWorker(service, options) {
  const terminated = once(process, 'SIGTERM');
  try {
    const running = await started(service, options, JSON.parse(process.env.RUNFAIR_PLACE));
    process.send({});
    await terminated;
    await stopped(running);
    process.send(running.counters?.() ?? {}, () => process.exit(0));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.send({ mistake: error.message });
  }
}

/** Throws UsageError if the port cannot be listened on. */
async function started({ start }, options, place) {
  try {
    return await start(options, place);
  } catch (error) {
    if (!/^(EADDR|EACCES$|ENOTFOUND$)/.test(error.code)) throw error;
    const named = `host ${JSON.stringify(place.host)} port ${place.port}`;
    throw new UsageError(`${named} cannot be listened on: ${error.code}`);
  }
}

/** Connections that keep a service from stopping are left to the process's end. */
function stopped(running) {
  return Promise.race([running.stop(), setTimeout(STOP_LIMIT_MS)]);
}

/** Workers that share one port. Throws UsageError for the first mistake of any. */
async function forked(options, place) {
  // Bun's workers listen for themselves, and the kernel would let them join another service's port:
  // whether it is free is tried beforehand.
  const { port } = await started({ start: freePort }, options, place);
  const workers = Array.from({ length: place.workers }, (_, worker) =>
    cluster.fork({ RUNFAIR_PLACE: JSON.stringify({ ...place, port, worker }) }),
  );
  const fail = (status) => process.exit(status || 1); // its message is on standard error already
  for (const worker of workers) worker.once('exit', fail);
  const messages = () => Promise.all(workers.map((worker) => once(worker, 'message')));
  const end = (signal) => {
    for (const worker of workers) worker.removeListener('exit', fail).process.kill(signal);
    return Promise.all(workers.map((worker) => once(worker, 'exit')));
  };
  const mistaken = (await messages()).find(([{ mistake }]) => mistake);
  if (mistaken) {
    end('SIGKILL');
    throw new UsageError(mistaken[0].mistake);
  }
  const total = {};
  const stop = async () => {
    const [counted] = await Promise.all([messages(), end('SIGTERM')]);
    for (const [own] of counted) {
      for (const name of Object.keys(own)) total[name] = (total[name] ?? 0) + own[name];
    }
  };
  return { port, stop, counters: () => total };
}

async function freePort(_options, { host, port }) {
  const probe = net.createServer().listen(port, host);
  await once(probe, 'listening');
  const free = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return free;
}
