// Workers with an environment or options of their own do known work, and say what they see.
const threads = require('node:worker_threads');

const { SHARE_ENV, Worker, isMainThread, parentPort, workerData } = threads;
const LENGTH = 1_000;

class Own extends Worker {}

const KINDS = [
  {},
  { env: { GIVEN: 'yes' } },
  { env: { NODE_OPTIONS: '--no-warnings', GIVEN: 'yes' } },
  { env: SHARE_ENV },
  { execArgv: [] },
  { execArgv: ['--no-warnings'] },
  { env: { GIVEN: 'yes' }, execArgv: ['--no-warnings'] },
  { env: SHARE_ENV, execArgv: ['--no-warnings'] },
];

function work(times) {
  let found = 0;
  for (let round = 0; round < times; round++) {
    for (let at = 0; at < LENGTH; at++) found ^= at;
  }
  return found;
}

function seen() {
  const { NODE_OPTIONS, GIVEN } = process.env;
  const own = NODE_OPTIONS === undefined && GIVEN === 'yes' ? Object.keys(process.env) : [];
  return JSON.stringify([NODE_OPTIONS, GIVEN, own, process.execArgv]);
}

function started(Kind, options, times) {
  const worker = new Kind(__filename, { ...options, workerData: times });
  if (worker.constructor !== Kind || !(worker instanceof Worker)) throw new Error('another class');
  return new Promise((resolve, reject) => {
    worker.on('message', resolve);
    worker.on('error', reject);
  });
}

async function main(times) {
  const modules = await import('node:worker_threads');
  work(times);
  for (const options of KINDS) console.log(await started(Worker, options, times));
  for (const Kind of [Own, modules.Worker]) console.log(await started(Kind, KINDS[1], times));
  try {
    new Worker(__filename, { execArgv: ['--no-such-option'] });
  } catch (error) {
    console.log(error.message);
  }
}

/** A worker starts another one, which inherits what it has. */
async function follow(times) {
  work(Math.abs(times));
  const inner = times > 0 ? await started(threads.Worker, {}, -times) : '';
  parentPort.postMessage(`${seen()} ${inner}`);
}

if (isMainThread) main(Number(process.argv[2]));
else follow(workerData);
