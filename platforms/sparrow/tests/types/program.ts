// A program that uses the types of every module. `./check` compiles it, so a declaration that
// TypeScript cannot read is found. The program never runs.

import fs, { readFileSync } from 'fs';
import { Buffer } from 'node:buffer';
import os, { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath, URL, URLSearchParams } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Reply, serve } from 'sparrow:http';
import { connect } from 'sparrow:postgres';

const text: string = readFileSync(join(import.meta.dirname, 'a'), 'utf8');
const bytes: Buffer = Buffer.from(text);
const address: URL = new URL('http://localhost/');
const query: URLSearchParams = new URLSearchParams({ path: fileURLToPath(address) });
const worker = new Worker(address);
const answered: Promise<Response> = fetch(address.href);
const pool = await connect(process.env.DATABASE_URL ?? '');
serve({ port: 0, tls: { cert: bytes, key: text } }, async (request) => {
  const rows = await pool.query('SELECT 1');
  return `${request.method} ${rows.length}`;
});
const heap = getHeapStatistics();
const same: typeof readFileSync = fs.readFileSync;
export const end: '\n' = os.EOL;
export const copy = new Reply('', { headers: new Headers({ a: 'b' }) });
export { answered, bytes, heap, query, same, worker };
export const count: number = availableParallelism() + performance.now();

// @ts-expect-error A file that is read with an encoding is text.
export const wrong: Buffer = readFileSync('a', 'utf8');
