// A server of keys and values: langbench/key-value/contract.md.

import { serve } from '../../../harness/services/javascript/service.js';
import { startServer } from './server.js';
import { Store } from './store.js';

const CLASSIC_ROWS = 1024;

function load(options) {
  const workload = options.text('workload');
  const keys = options.number('keys');
  let rows = options.number('rows');
  let capacityBytes = options.number('capacity_bytes');
  if (rows === 0) rows = workload === 'spread' ? powerOfTwo(keys) : CLASSIC_ROWS;
  if (capacityBytes === 0 && workload === 'capped') {
    capacityBytes = Math.max(1, Math.floor((keys * options.number('value_bytes') * 3) / 4));
  }
  return new Store(rows, capacityBytes);
}

/** The smallest that is at least so many. */
function powerOfTwo(least) {
  let power = 1;
  while (power < least) power *= 2;
  return power;
}

serve({
  name: 'key-value',
  tier: 'standard',
  maxThreads: 1,
  start: (options, place) => startServer(load(options), options.has('count'), place),
});
