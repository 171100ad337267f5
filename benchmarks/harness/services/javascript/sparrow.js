// Services on sparrow: one process for each of their threads, `ready`, the end on SIGTERM.

import { exit, onSignal } from 'sparrow:process';
import { listen } from 'sparrow:tcp';
import { sleep } from 'sparrow:timers';
import { startWorkers, worker } from 'sparrow:workers';

import { carryOut, Output, UsageError } from '../../javascript/harness.js';

const STOP_LIMIT_MS = 4000; // the contract's 5 s, less what ending the processes takes

/**
 * Runs a service: `name`, `tier`, and start(options, place) -> {port, stop()}. `place` has `host`
 * and `port`, `share` if other processes listen on that port too, and says which `worker` of how
 * many `workers` this process is. stop lets the requests under way be answered.
 */
export function serve(service) {
  carryOut({ maxThreads: Infinity, ...service }, worker ? performWorker : performPrimary);
}

async function performPrimary(service, options) {
  const workers = options.number('threads');
  const output = new Output(service, workers);
  const place = { host: options.text('host'), port: options.number('port'), worker: 0, workers };
  const running = await (workers === 1 ? started(service, options, place) : many(options, place));
  const terminated = Promise.withResolvers();
  onSignal('SIGTERM', terminated.resolve);
  output.say('ready', { host: place.host, port: running.port });
  output.flush();
  await terminated.promise;
  await stopped(running);
  output.say('end', { iterations: 0 });
  output.flush();
  exit(0);
}

/** Answers its parent's place with nothing, or a mistake. */
async function performWorker(service, options) {
  const terminated = Promise.withResolvers();
  onSignal('SIGTERM', terminated.resolve);
  const place = await new Promise((resolve) => {
    worker.channel.onmessage = resolve;
    worker.channel.hold(true);
  });
  try {
    const running = await started(service, options, place);
    worker.channel.send({});
    await terminated.promise;
    await stopped(running);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    worker.channel.send({ mistake: error.message });
    await terminated.promise;
  }
  exit(0);
}

/** Throws UsageError if the port cannot be listened on. */
async function started({ start }, options, place) {
  try {
    return await start(options, place);
  } catch (error) {
    if (
      error instanceof UsageError ||
      !/^(EADDR|EACCES$)|listened on/.test(error.code ?? error.message)
    ) {
      throw error;
    }
    const named = `host ${JSON.stringify(place.host)} port ${place.port}`;
    throw new UsageError(`${named} cannot be listened on: ${error.code ?? error.message}`);
  }
}

/** Connections that keep a service from stopping are left to the process's end. */
function stopped(running) {
  return Promise.race([running.stop(), sleep(STOP_LIMIT_MS)]);
}

/** Workers that share one port. Throws UsageError for the first mistake of any. */
async function many(options, place) {
  // Sharing would let a worker join another service's port: whether it is free is tried beforehand.
  const { port } = await started({ start: freePort }, options, place);
  const workers = startWorkers(place.workers);
  let ending = false;
  const answers = workers.map(async (one) => {
    const answered = Promise.withResolvers();
    one.onmessage = answered.resolve;
    one.ended.then((status) => ending || exit(status || 1)); // its message is on standard error
    one.send({ ...place, port, worker: one.index, share: true });
    return answered.promise;
  });
  const end = (signal) => {
    ending = true;
    for (const one of workers) one.signal(signal);
    return Promise.all(workers.map((one) => one.ended));
  };
  const mistaken = (await Promise.all(answers)).find(({ mistake }) => mistake);
  if (mistaken) {
    await end('SIGKILL');
    throw new UsageError(mistaken.mistake);
  }
  return { port, stop: () => end('SIGTERM') };
}

function freePort(_options, { host, port }) {
  const probe = listen({ host, port }, (connection) => connection.close());
  probe.close();
  return probe;
}
