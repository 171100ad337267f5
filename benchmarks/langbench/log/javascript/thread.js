// A worker thread: does what it is told with its block of the files, and posts what it made and what
// it has counted.

import { parentPort, workerData } from 'worker_threads';

import { UsageError } from '../../../harness/javascript/harness.js';
import { counts } from './counts.js';
import { Block } from './workers.js';

const block = new Block(workerData);

parentPort.on('message', ({ work, argument }) => {
  try {
    parentPort.postMessage({ made: block[work](argument), counted: counts });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    parentPort.postMessage({ mistake: error.message });
  }
});
parentPort.postMessage({ made: 'ready', counted: counts });
