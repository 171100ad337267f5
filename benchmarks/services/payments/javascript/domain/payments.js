// What every framework's program has in common: its command line, and what it keeps in memory.

import { integer, quote, readInput, UsageError } from '../../../../harness/javascript/harness.js';
import { serve, share } from '../../../../harness/javascript/service.js';

const MOST_CONNECTIONS = 1000n;

/**
 * Runs the service of a framework: `start(data, settings)` gives {port, stop()}. `data` has
 * `records` and `processors`; `settings` are `host`, `port`, `database` (a URL or ''),
 * `connections` (of this process) and `shared` (whether other processes listen on the port too).
 */
export function servePayments(tier, start) {
  serve({
    name: 'payments',
    tier,
    workloads: ['pay', 'route', 'order'],
    inputs: 1,
    parameters: { database: '', connections: '16' },
    start(options) {
      const { database, connections } = options.parameters;
      const total = Number(integer(connections, 1n, MOST_CONNECTIONS, '--param connections'));
      return start(read(options.inputs[0]), {
        host: options.host,
        port: options.port,
        database,
        connections: share(total, options),
        shared: options.workers > 1,
      });
    },
  });
}

function read(path) {
  const text = readInput(path).toString();
  let data;
  try {
    data = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (!Array.isArray(data?.records) || !Array.isArray(data?.processors)) {
    throw new UsageError(`--input ${quote(path)} is not the payments.json of the generator`);
  }
  return {
    records: data.records,
    processors: data.processors.map((each) => ({ ...each, countries: new Set(each.countries) })),
  };
}
