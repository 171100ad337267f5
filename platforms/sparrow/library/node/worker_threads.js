// Node's worker_threads, for programs that can also do without: this process has one thread.

export const isMainThread = true;
export const parentPort = null;
export const workerData = null;

export class Worker {
  constructor() {
    throw new Error(
      'sparrow has no worker threads: give the program one thread, or use sparrow:workers',
    );
  }
}

export default { isMainThread, parentPort, Worker, workerData };
