// The response to a request.

import fs from 'fs';

import { Failure, number } from './request.js';

const MOST_FILE_BYTES = 2 ** 30;
const BEYOND_ANY_FILE = 1e15;
const RANGE = /^bytes=([0-9]*)-([0-9]*)$/;

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
  ['.txt', 'text/plain; charset=utf-8'],
  ['.log', 'text/plain; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
]);

export const counts = { requests: 0, body_bytes: 0 };

export async function respond(folder, request) {
  try {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new Failure(405, 'Allow: GET, HEAD\r\n');
    }
    const names = request.fileName();
    const file = await orFail(404, open(folder, names));
    try {
      return await fileResponse(file, names[names.length - 1], request);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return failureResponse(error, connectionField(request));
  }
}

export function failureResponse({ status, field }, connection) {
  return head(status, `Content-Length: 0\r\n${field}`, connection);
}

/** The promise's value. An error of the system becomes a Failure. */
async function orFail(status, promise) {
  try {
    return await promise;
  } catch (error) {
    throw error.code === undefined ? error : new Failure(status);
  }
}

async function open(folder, names) {
  let path = folder;
  for (const name of names.slice(0, -1)) {
    path += `/${name}`;
    const status = await fs.promises.lstat(path);
    if (!status.isDirectory()) throw new Failure(404);
  }
  const { O_RDONLY, O_NOFOLLOW } = fs.constants;
  return fs.promises.open(`${path}/${names[names.length - 1]}`, O_RDONLY | O_NOFOLLOW);
}

async function fileResponse(file, name, request) {
  const status = await file.stat();
  if (!status.isFile()) throw new Failure(404);
  const { size } = status;
  if (size > MOST_FILE_BYTES) throw new Failure(500);
  const part = requestedRange(request, size);
  const { first, count } = part || { first: 0, count: size };
  let fields =
    `Last-Modified: ${status.mtime.toUTCString()}\r\n` +
    `Content-Type: ${contentType(name)}\r\n` +
    `Content-Length: ${count}\r\n` +
    'Accept-Ranges: bytes\r\n';
  if (part) fields += `Content-Range: bytes ${first}-${first + count - 1}/${size}\r\n`;
  const start = head(part ? 206 : 200, fields, connectionField(request));
  if (request.method === 'HEAD') return start;
  const response = Buffer.allocUnsafe(start.length + count);
  start.copy(response);
  const { bytesRead } = await orFail(500, file.read(response, start.length, count, first));
  if (bytesRead < count) throw new Failure(500);
  counts.requests++; // tick
  counts.body_bytes += bytesRead; // tick
  return response;
}

/** The first byte and the number of bytes; undefined for the whole file. */
function requestedRange(request, size) {
  const parts = RANGE.exec(request.headers.get('range') || '');
  if (parts === null || request.headers.has('if-range') || request.method === 'HEAD') {
    return undefined;
  }
  const [, from, to] = parts;
  if (size === 0 || (from === '' && to === '')) return undefined;
  const last = to === '' ? BEYOND_ANY_FILE : number(to);
  if (from !== '' && last < number(from)) return undefined;
  const first = from === '' ? size - Math.min(last, size) : number(from);
  if (first >= size) throw new Failure(416, `Content-Range: bytes */${size}\r\n`);
  return { first, count: from === '' ? size - first : Math.min(last, size - 1) - first + 1 };
}

function contentType(name) {
  const dot = name.lastIndexOf('.');
  const type = dot < 0 ? undefined : TYPES.get(name.slice(dot).toLowerCase());
  return type || 'application/octet-stream';
}

function connectionField(request) {
  if (!request.isPersistent()) return 'Connection: close\r\n';
  return request.minor === 0 ? 'Connection: keep-alive\r\n' : '';
}

function head(status, fields, connection) {
  const date = new Date().toUTCString();
  const text = `HTTP/1.1 ${status} ${REASONS[status]}\r\nDate: ${date}\r\n${fields}${connection}\r\n`;
  return Buffer.from(text, 'latin1');
}
