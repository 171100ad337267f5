// Search of logs by the CLP algorithm or by regular expressions: langbench/log/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../harness/javascript/primitives.js';
import { Archive, Dictionary } from './archive.js';
import { counts } from './counts.js';
import { logFiles, QUERIES, readQueries } from './folder.js';
import { Plan, Query } from './query.js';
import { startWorkers } from './workers.js';

const MAX_THREADS = 1024;

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
  const archive = new Archive(types.texts, variables.texts);
  const plans = queries.map((query) => new Plan(query, archive, variables.ids));
  const search = async (block, worker) => {
    const argument = {
      types: types.texts,
      variables: variables.texts,
      own: renumberings[worker],
      plans,
    };
    results.append(await block.search(argument));
  };
  await Promise.all(blocks.map(search));
  results.sort();
  return results;
}

/** Worker 0's dictionaries become everyone's; those of the others are entered in order. */
function merge([first, ...others]) {
  const types = Dictionary.of(first.types);
  const variables = Dictionary.of(first.variables);
  const renumberings = others.map((own) => ({
    types: types.enter(own.types.texts),
    variables: variables.enter(own.variables.texts),
  }));
  counts.log_types += types.taken().made;
  counts.variables += variables.taken().made;
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
  const file = options.text('queries');
  const texts = file === '' ? QUERIES[options.text('workload')] : readQueries(file);
  const files = logFiles(options.text('input'));
  const blocks = await startWorkers(files, Math.min(options.number('threads'), MAX_THREADS));
  return { form: options.text('form'), queries: texts.map((text) => new Query(text)), blocks };
}

function prepare(task) {
  return task;
}

function run(task) {
  return task.form === 'indexed' ? indexed(task) : regex(task);
}

function digest({ matches }) {
  const hash = new Fnv1a();
  for (const found of matches) {
    hash.latin1(`${found.length}\n`);
    for (const { line } of found) {
      hash.latin1(line);
      hash.latin1('\n');
    }
  }
  return hash.digest();
}

/** Of all threads together. */
function counters({ blocks }) {
  const total = { ...counts };
  for (const { counted } of blocks) {
    for (const name of Object.keys(counted)) total[name] += counted[name];
  }
  return total;
}

main({
  name: 'log',
  tier: 'standard',
  maxThreads: MAX_THREADS,
  load,
  prepare,
  run,
  digest,
  counters,
});
