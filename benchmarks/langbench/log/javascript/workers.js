// Workers, each with a block of the files: threads, or the main thread alone.

import { Worker } from 'worker_threads';

import { UsageError } from '../../../harness/javascript/harness.js';
import { Block } from './block.js';

/** Divides the files into as many blocks of neighbours as there are workers, and starts these. */
export async function startWorkers(files, count) {
  const firstOf = (worker) => Math.floor((files.length * worker) / count);
  const blocks = Array.from({ length: count }, (_, worker) => {
    const first = firstOf(worker);
    return { files: files.slice(first, firstOf(worker + 1)), first };
  });
  if (count === 1) return [new Block(blocks[0])];
  const threads = blocks.map((block) => new Thread(block));
  await Promise.all(threads.map((thread) => thread.made()));
  return threads.map((thread) => thread.block());
}

/** A worker thread, whose block answers by promises. */
class Thread {
  constructor(block) {
    this.worker = new Worker(new URL('./thread.js', import.meta.url), { workerData: block });
  }

  /** What the thread posts next. While nobody waits for it, it does not keep the process alive. */
  made() {
    this.worker.ref();
    return new Promise((resolve, reject) => {
      this.worker.once('error', reject);
      this.worker.once('message', ({ made, mistake }) => {
        this.worker.removeListener('error', reject);
        this.worker.unref();
        if (mistake === undefined) resolve(made);
        else reject(new UsageError(mistake));
      });
    });
  }

  perform(work, argument) {
    this.worker.postMessage({ work, argument });
    return this.made();
  }

  /** The thread's block, to call as if it were here. */
  block() {
    return {
      parse: () => this.perform('parse'),
      search: (argument) => this.perform('search', argument),
      regex: (argument) => this.perform('regex', argument),
      countLines: () => this.perform('countLines'),
      countArchive: () => this.perform('countArchive'),
    };
  }
}
