// The folder of logs, and the queries that are asked.

import fs from 'fs';
import path from 'path';

import { readInput, UsageError } from '../../../harness/javascript/harness.js';

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

/** The queries of a file, one a line. Throws UsageError. */
export function readQueries(file) {
  const named = `queries ${JSON.stringify(file)}`;
  let content;
  try {
    content = fs.readFileSync(file, 'latin1');
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    throw new UsageError(`${named} cannot be read; name a file of queries, one a line`);
  }
  const lines = content.split('\n');
  const strange = lines.findIndex((line) => !/^[ -~]*$/.test(line));
  if (strange >= 0) {
    throw new UsageError(`line ${strange + 1} of ${named}: a query is printable ASCII`);
  }
  const queries = lines.filter(Boolean);
  if (queries.length === 0) throw new UsageError(`${named} holds no queries; write one a line`);
  return queries;
}

/** Paths of the files of a folder, in the order of their names. Throws UsageError. */
export function logFiles(folder) {
  const isLog = (name) => isFile(path.join(folder, name));
  const names = readInput(folder, () => fs.readdirSync(folder).filter(isLog));
  const named = `input ${JSON.stringify(folder)}`;
  for (const name of names) {
    if (/[\u0080-\uffff]/.test(name)) {
      throw new UsageError(`${named} holds ${JSON.stringify(name)}: rename it to ASCII`);
    }
  }
  if (names.length === 0) throw new UsageError(`${named} holds no files; give a folder of logs`);
  return names.sort().map((name) => path.join(folder, name));
}

/** Whether it is a regular file, or a link to one. */
function isFile(file) {
  try {
    return fs.statSync(file).isFile();
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return false; // a link to nothing
  }
}

/** The bytes of a file, a character each. Throws UsageError. */
export function readLog(file) {
  return readInput(file).toString('latin1');
}
