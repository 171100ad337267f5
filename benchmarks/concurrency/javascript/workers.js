// Workers of a program, each of which does its task in every iteration.

import { once } from 'events';
import { parentPort, Worker } from 'worker_threads';

import { UsageError } from '../../harness/javascript/harness.js';

const MOST = 100; // each is a whole runtime

/** Workers that live as long as the program, and wait between iterations. */
export class Workers {
  /** One for each `workerData`, which runs the module `url`. `ready` is when they all wait. */
  constructor(url, each) {
    // Their output is not the program's, as in the harness's recorder.js.
    const piped = { stdout: true, stderr: true };
    this.workers = each.map((workerData) => new Worker(url, { ...piped, workerData }));
    this.ready = Promise.all(this.workers.map((one) => once(one, 'message'))).then(() => {
      for (const one of this.workers) one.unref();
    });
  }

  /** Has each do its task, and gives what each returned. All are told to begin before it waits. */
  async run() {
    const returned = this.workers.map(async (worker) => {
      worker.ref();
      const ended = once(worker, 'message');
      worker.postMessage('begin');
      const [result] = await ended;
      worker.unref();
      return result;
    });
    return Promise.all(returned);
  }
}

/** What a worker's module calls: does the task in every iteration. */
export function perform(task) {
  parentPort.on('message', () => parentPort.postMessage(task()));
  parentPort.postMessage('ready');
}

/** The number of tasks, if each can have a worker. */
export function tasksOf(options, most = MOST) {
  const tasks = options.number('tasks');
  if (tasks <= most) return tasks;
  throw new UsageError(`tasks=${tasks} are too many workers; ask for ${most} at most`);
}
