// The contract's pseudocode over strings, arrays and Maps, in the JavaScript of 2017:
// langbench/log/contract.md. A byte is a character of a string.

import { main, readInput } from '../../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../../harness/javascript/primitives.js';
import { Archive } from './archive.js';
import { counts } from './counts.js';
import { linesOf, logFiles, QUERIES, readQueries } from './folder.js';
import { Plan } from './plan.js';
import { Query } from './query.js';

function indexed({ files, queries }) {
  const archive = new Archive();
  for (const file of files) archive.parse(readLog(file));
  const plans = queries.map((query) => new Plan(query, archive));
  const found = plans.map((plan) => {
    const lines = [];
    for (const messages of archive.files) plan.search(messages, lines);
    return lines;
  });
  return { found, archive };
}

function regex({ files, queries }) {
  const expressions = queries.map((query) => query.expression());
  const found = expressions.map((expression) => {
    const lines = [];
    for (const file of files) {
      for (const line of linesOf(readLog(file))) {
        counts.lines++; // tick
        if (expression.test(line)) {
          counts.matches++; // tick
          lines.push(line);
        }
      }
    }
    return lines;
  });
  return { found };
}

function readLog(file) {
  return readInput(file).toString('latin1');
}

function load(options) {
  const own = options.text('queries');
  const texts = own === '' ? QUERIES[options.text('workload')] : readQueries(own);
  const files = logFiles(options.text('input'));
  return { form: options.text('form'), queries: texts.map((text) => new Query(text)), files };
}

function prepare(task) {
  return task;
}

function run(task) {
  return task.form === 'indexed' ? indexed(task) : regex(task);
}

function digest({ found }) {
  const hash = new Fnv1a();
  for (const lines of found) {
    hash.latin1(`${lines.length}\n`);
    for (const line of lines) hash.latin1(`${line}\n`);
  }
  return hash.digest();
}

main({
  name: 'log',
  tier: 'plain',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
