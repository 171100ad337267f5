// A server of keys and values: langbench/key-value/contract.md.

import { integer } from '../../../harness/javascript/harness.js';
import { serve } from '../../../harness/javascript/service.js';
import { startServer } from './server.js';
import { CountingStore, Store } from './store.js';

const CLASSIC_ROWS = 1024;

function load({ workload, parameters }) {
  const parameter = (name, least, most) =>
    Number(integer(parameters[name], least, most, `--param ${name}`));
  const keys = parameter('keys', 1n, 2n ** 20n);
  const valueBytes = parameter('value_bytes', 1n, 1000000n);
  let rows = parameter('rows', 0n, 2n ** 20n);
  let capacityBytes = parameter('capacity_bytes', 0n, 2n ** 31n - 1n);
  const count = parameter('count', 0n, 1n) === 1;
  parameter('addresses', 0n, 1n); // the engine tells none
  if (rows === 0) rows = workload === 'spread' ? powerOfTwo(keys) : CLASSIC_ROWS;
  if (capacityBytes === 0 && workload === 'capped') {
    capacityBytes = Math.max(1, Math.floor((keys * valueBytes * 3) / 4));
  }
  return count ? new CountingStore(rows, capacityBytes) : new Store(rows, capacityBytes);
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
  workloads: ['spread', 'classic', 'capped'],
  parameters: {
    keys: '500',
    value_bytes: '64',
    rows: '0',
    capacity_bytes: '0',
    count: '0',
    addresses: '0',
  },
  inputs: 0,
  maxThreads: 1,
  start: (options) => startServer(load(options), options),
});
