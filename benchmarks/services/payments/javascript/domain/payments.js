// What every framework's program has in common: its command line, and what it keeps in memory.

import { readInput, UsageError } from '../../../../harness/javascript/harness.js';
import { serve } from '../../../../harness/services/javascript/service.js';

/**
 * Runs the service of a framework: `start(data, settings)` gives {port, stop()}. `data` has
 * `records` and `processors`; `settings` are `host`, `port`, `database` (a URL, if there is one),
 * `connections` (of this process) and `shared` (whether other processes listen on the port too).
 */
export function servePayments(tier, start) {
  serve({
    name: 'payments',
    tier,
    maxThreads: Infinity,
    start(options, { host, port, worker, workers }) {
      return start(read(options.text('input')), {
        host,
        port,
        database: process.env.DATABASE_URL,
        connections: share(options.number('connections'), worker, workers),
        shared: workers > 1,
      });
    },
  });
}

/** What belongs to a worker when `total` is shared out; at least one. */
function share(total, worker, workers) {
  return Math.max(1, Math.floor(total / workers) + (worker < total % workers ? 1 : 0));
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
    throw new UsageError(`input ${JSON.stringify(path)} is not the payments.json of the generator`);
  }
  return {
    records: data.records,
    processors: data.processors.map((each) => ({ ...each, countries: new Set(each.countries) })),
  };
}
