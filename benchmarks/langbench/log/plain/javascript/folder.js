// The input: a folder of logs, and a file of queries.

import fs from 'fs';
import path from 'path';

import { readInput, UsageError } from '../../../../harness/javascript/harness.js';

export const QUERIES = {
  hadoop: [
    '] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ',
    ' container_1445144423722_0001_01_000007 ',
    '[fetcher#7] ',
    ' attempt_*_0001_m_000003_1 is : ',
    'WARN * Slow ReadProcessor * took *77 ms; ack',
    ' ip=/10.0.3.7 cmd=open ',
    'ERROR * Giving up * node-07.cluster.example:8020;',
  ],
  spark: [
    ' spark.ContextCleaner: Started accumulator for stage ',
    ' rdd_42_7 ',
    ' boot = 17, ',
    ' broadcast_1*7_piece0 stored ',
    'Finished task * in stage 12.0 (TID *). 2077 bytes',
    ' ip=/10.0.3.7 cmd=remove ',
    'WARN util.Utils: Lost * retry 3 of 4',
  ],
};

export function linesOf(content) {
  const lines = content.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  return lines;
}

export function readQueries(file) {
  const named = `queries ${JSON.stringify(file)}`;
  let content = '';
  try {
    content = fs.readFileSync(file, 'latin1');
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    throw new UsageError(`${named} cannot be read; name a file of queries, one a line`);
  }
  const lines = linesOf(content);
  lines.forEach((line, index) => {
    if (!/^[ -~]*$/.test(line)) {
      throw new UsageError(`line ${index + 1} of ${named}: a query is printable ASCII`);
    }
  });
  const queries = lines.filter(Boolean);
  if (queries.length === 0) throw new UsageError(`${named} holds no queries; write one a line`);
  return queries;
}

export function logFiles(folder) {
  const named = `input ${JSON.stringify(folder)}`;
  const names = readInput(folder, () => fs.readdirSync(folder)).filter((name) => {
    const file = path.join(folder, name);
    return fs.existsSync(file) && fs.statSync(file).isFile();
  });
  for (const name of names) {
    if (/[\u0080-\uffff]/.test(name)) {
      throw new UsageError(`${named} holds ${JSON.stringify(name)}: rename it to ASCII`);
    }
  }
  if (names.length === 0) throw new UsageError(`${named} holds no files; give a folder of logs`);
  return names.sort().map((name) => path.join(folder, name));
}
