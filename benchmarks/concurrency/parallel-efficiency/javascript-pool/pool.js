import { once } from 'events';
import { Worker } from 'worker_threads';

/** Workers that live as long as the program, and what they take tasks from. */
export class Pool {
  constructor(threads, tasks, rounds, seed) {
    this.next = new Int32Array(new SharedArrayBuffer(4));
    // Of each task's result the upper 32 bits, then the lower.
    this.halves = new Int32Array(new SharedArrayBuffer(8 * tasks));
    const workerData = { next: this.next, halves: this.halves, rounds, seed };
    const worker = new URL('./worker.js', import.meta.url);
    const options = { stdout: true, stderr: true, workerData }; // as in the harness's recorder.js
    this.workers = Array.from({ length: threads }, () => new Worker(worker, options));
    this.ready = Promise.all(this.workers.map((one) => once(one, 'message'))).then(() => {
      for (const one of this.workers) one.unref();
    });
  }

  reset() {
    this.next[0] = 0;
    this.halves.fill(0);
  }

  /** Has all tasks done, and gives what each worker counted. */
  async run() {
    const told = this.workers.map(async (worker) => {
      worker.ref();
      const done = once(worker, 'message');
      worker.postMessage('begin');
      const [counted] = await done;
      worker.unref();
      return counted;
    });
    return Promise.all(told);
  }
}
