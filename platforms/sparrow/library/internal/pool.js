// Runs the program of the command line in workers or threads, and ends when all have ended.

import native from 'sparrow:native';
import { onSignal } from 'sparrow:process';
import { sleep } from 'sparrow:timers';
import { startThreads, startWorkers } from 'sparrow:workers';

const [kind, count] = native.pool().split('=');
const start = kind === 'threads' ? startThreads : startWorkers;
let failed = false;
let told = false; // a signal came, which may also have come to the workers
const running = new Set(start(Number(count)));

const tell = (signal) => {
  told = true;
  for (const worker of running) worker.signal(signal);
};
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) onSignal(signal, () => tell(signal));

for (const worker of running) {
  worker.ended.then(async (status) => {
    running.delete(worker);
    if (status === 0 || failed) return;
    failed = true; // the others then end by the signal
    await sleep(0); // a signal to all processes is then known here too
    if (worker.killedBy && !told)
      console.error(`sparrow: worker ${worker.index} was killed by signal ${worker.killedBy}`);
    native.setExitStatus(status);
    tell('SIGTERM');
  });
}
