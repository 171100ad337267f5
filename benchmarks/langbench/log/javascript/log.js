// Search of logs by the CLP algorithm or by regular expressions: langbench/log/contract.md.

import { Fnv1a, main, oneOf } from '../../../harness/javascript/harness.js';
import { Archive, Dictionary } from './archive.js';
import { logFiles, QUERIES, readQueries } from './folder.js';
import { plan, Query } from './query.js';
import { startWorkers } from './workers.js';

const MAX_THREADS = 1024;
const COUNTERS = [
  'lines',
  'tokens',
  'numbers',
  'references',
  'log_types',
  'variables',
  'scanned',
  'candidates',
  'matches',
  'decoded_lines',
];

/** The matches of every query, to which those of the workers are appended as they come. */
class Results {
  constructor(queries) {
    this.matches = queries.map(() => []);
  }

  append(found) {
    found.forEach((own, query) => {
      for (const match of own) this.matches[query].push(match);
    });
  }

  sort() {
    for (const found of this.matches) found.sort((one, other) => one.file - other.file);
  }
}

async function indexed({ blocks, queries }) {
  const results = new Results(queries);
  const parsed = await Promise.all(blocks.map((block) => block.parse()));
  const { types, variables, renumberings } = merge(parsed);
  results.archive = new Archive(types.texts, variables.texts);
  results.plans = queries.map((query) => plan(query, results.archive, variables.ids));
  const search = async (block, worker) => {
    const argument = {
      types: types.texts,
      variables: variables.texts,
      own: renumberings[worker],
      plans: results.plans,
    };
    results.append(await block.search(argument));
  };
  await Promise.all(blocks.map(search));
  results.sort();
  return results;
}

/** Worker 0's dictionaries become everyone's; those of the others are entered in order. */
function merge([first, ...others]) {
  const types = new Dictionary(first.types);
  const variables = new Dictionary(first.variables);
  const renumberings = others.map((own) => ({
    types: types.enter(own.types),
    variables: variables.enter(own.variables),
  }));
  // Worker 0 has the common ids already.
  return { types, variables, renumberings: [undefined, ...renumberings] };
}

async function regex({ blocks, queries }) {
  const results = new Results(queries);
  const expressions = queries.map((query) => query.expression());
  const search = async (block) => results.append(await block.regex({ expressions }));
  await Promise.all(blocks.map(search));
  results.sort();
  return results;
}

async function load(options) {
  const form = oneOf(options.parameters.form, ['indexed', 'regex'], 'form');
  const workload = oneOf(options.workload, Object.keys(QUERIES), 'workload');
  const own = options.parameters.queries;
  const texts = own === '' ? QUERIES[workload] : readQueries(own);
  const files = logFiles(options.inputs[0]);
  const blocks = await startWorkers(files, Math.min(options.threads, MAX_THREADS));
  return { form, queries: texts.map((text) => new Query(text)), blocks };
}

function prepare(task) {
  return task;
}

function run(task) {
  return task.form === 'indexed' ? indexed(task) : regex(task);
}

/** Counts what an iteration made. */
async function count(task) {
  const result = await run(task);
  const counters = {};
  for (const name of COUNTERS) counters[name] = 0;
  const work = task.form === 'indexed' ? 'countArchive' : 'countLines';
  for (const counted of await Promise.all(task.blocks.map((block) => block[work]()))) {
    for (const name of Object.keys(counted)) counters[name] += counted[name];
  }
  for (const found of result.matches) counters.matches += found.length;
  if (task.form === 'indexed') {
    counters.log_types = result.archive.logTypes.length;
    counters.variables = result.archive.variables.length;
    for (const { scanned } of result.plans) counters.scanned += scanned;
  } else {
    counters.lines *= task.queries.length;
  }
  return { result, counters };
}

function digest({ matches }) {
  const hash = new Fnv1a();
  for (const found of matches) {
    hash.ascii(`${found.length}\n`);
    for (const { line } of found) {
      hash.ascii(line); // a character of it is a byte
      hash.ascii('\n');
    }
  }
  return hash.digest();
}

main({
  name: 'log',
  workloads: Object.keys(QUERIES),
  parameters: { form: { preset: 'indexed' }, queries: { preset: '' } },
  inputs: 1,
  maxThreads: MAX_THREADS,
  load,
  prepare,
  run,
  count,
  digest,
});
