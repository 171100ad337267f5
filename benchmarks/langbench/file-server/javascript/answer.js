// From a request to its answer.

import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

import { requestedRange } from './byte-range.js';
import { Failure } from './failure.js';
import { fileName } from './target.js';

const MOST_FILE_BYTES = 2 ** 30;

const REASONS = {
  200: 'OK',
  206: 'Partial Content',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  411: 'Length Required',
  413: 'Content Too Large',
  414: 'URI Too Long',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  505: 'HTTP Version Not Supported',
};

const TYPES = new Map([
  ['txt', 'text/plain; charset=utf-8'],
  ['log', 'text/plain; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['json', 'application/json'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
]);

/** What this process has counted: answers that hold a file or a part of it, and those bytes. */
export const counts = { requests: 0, body_bytes: 0 };

/** The whole answer to a request that could be read. */
export async function answer(folder, request) {
  try {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Failure(405, 'Allow: GET, HEAD');
    }
    const folders = fileName(request.target);
    const name = folders.pop();
    const file = await opened(folder, folders, name);
    try {
      return await content(file, name, request);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return head(error.status, failureFields(error), connectionField(request));
  }
}

/** The answer to what could not be read, behind which nothing can be. */
export function refusal(failure) {
  return head(failure.status, failureFields(failure), 'Connection: close\r\n');
}

/** Throws Failure. */
async function opened(root, folders, name) {
  let path = root;
  try {
    for (const folder of folders) {
      path += `/${folder}`;
      if (!(await lstat(path)).isDirectory()) throw new Failure(404);
    }
    return await open(`${path}/${name}`, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    throw failureOf(error, 404);
  }
}

/** Throws Failure. */
async function content(file, name, request) {
  const status = await file.stat();
  if (!status.isFile()) throw new Failure(404);
  const { size } = status;
  if (size > MOST_FILE_BYTES) throw new Failure(500);
  const ranged = request.method === 'GET' && request.header('if-range') === undefined;
  const part = ranged ? requestedRange(request.header('range'), size) : undefined;
  const { first, count } = part ?? { first: 0, count: size };
  let fields =
    `Last-Modified: ${status.mtime.toUTCString()}\r\n` +
    `Content-Type: ${contentType(name)}\r\n` +
    `Content-Length: ${count}\r\n` +
    'Accept-Ranges: bytes\r\n';
  if (part) fields += `Content-Range: bytes ${first}-${first + count - 1}/${size}\r\n`;
  const said = head(part ? 206 : 200, fields, connectionField(request));
  if (request.method === 'HEAD') return said;
  const whole = Buffer.allocUnsafe(said.length + count);
  said.copy(whole);
  await read(file, whole.subarray(said.length), first);
  counts.requests++; // tick
  return whole;
}

/** Fills `into` with the file's bytes from `first` on. Throws Failure. */
async function read(file, into, first) {
  try {
    for (let done = 0; done < into.length; ) {
      const { bytesRead } = await file.read(into, done, into.length - done, first + done);
      if (bytesRead === 0) throw new Failure(500);
      counts.body_bytes += bytesRead; // tick
      done += bytesRead;
    }
  } catch (error) {
    throw failureOf(error, 500);
  }
}

/** What the system refuses becomes a failure. */
function failureOf(error, status) {
  return typeof error.code === 'string' ? new Failure(status) : error;
}

function contentType(name) {
  const dot = name.lastIndexOf('.');
  const extension = dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
  return TYPES.get(extension) ?? 'application/octet-stream';
}

function failureFields({ field }) {
  return field === '' ? 'Content-Length: 0\r\n' : `Content-Length: 0\r\n${field}\r\n`;
}

/** What the head says of the connection. */
function connectionField(request) {
  if (!request.persistent) return 'Connection: close\r\n';
  return request.minor === 0 ? 'Connection: keep-alive\r\n' : '';
}

/** Its end is the empty line; `fields` and `last` are whole lines. */
function head(status, fields, last) {
  const date = new Date().toUTCString();
  return Buffer.from(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\nDate: ${date}\r\n${fields}${last}\r\n`,
    'latin1',
  );
}
