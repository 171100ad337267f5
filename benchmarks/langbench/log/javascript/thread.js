// A worker thread: does what it is told with its block of the files, and posts what it made.

import { parentPort, workerData } from 'worker_threads';

import { UsageError } from '../../../harness/javascript/harness.js';
import { Block } from './block.js';

const block = new Block(workerData);

parentPort.on('message', ({ work, argument }) => {
  try {
    parentPort.postMessage({ made: block[work](argument) });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    parentPort.postMessage({ mistake: error.message });
  }
});
parentPort.postMessage({ made: 'ready' });
