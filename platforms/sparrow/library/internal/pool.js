// Runs the program of the command line in workers or threads, and ends when all have ended.

import native from 'sparrow:native';
import { onSignal } from 'sparrow:process';
import { startThreads, startWorkers } from 'sparrow:workers';

const [kind, count] = native.pool().split('=');
const start = kind === 'threads' ? startThreads : startWorkers;
let failed = false;
const running = new Set(start(Number(count)));

const tell = (signal) => {
  for (const worker of running) worker.signal(signal);
};
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) onSignal(signal, () => tell(signal));

for (const worker of running) {
  worker.ended.then((status) => {
    running.delete(worker);
    if (status === 0 || failed) return;
    failed = true; // the others then end by the signal
    native.setExitStatus(status);
    tell('SIGTERM');
  });
}
