// fetch: a client for HTTP/1.1, with a connection for each request.

import { unlessAborted } from 'sparrow:internal/abort';
import { bytesOf, isBytes } from 'sparrow:internal/bytes';
import { Headers, TOKEN } from 'sparrow:internal/headers';
import { Response, ResponseReader } from 'sparrow:internal/http-response';
import { URL, URLSearchParams } from 'sparrow:internal/url';
import native from 'sparrow:native';
import { connect } from 'sparrow:tcp';

const PORTS = { 'http:': 80, 'https:': 443 };
const MOST_REDIRECTS = 20;
const MOST_BODY_BYTES = 256 * 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that describe a body, and go with it. */
const OF_BODY = ['content-encoding', 'content-language', 'content-location', 'content-type'];
const OWN = new Set(['connection', 'content-length', 'host', 'transfer-encoding']);

/**
 * The answer to a request. `options`: `method`, `headers`, `body` (a string, bytes or
 * URLSearchParams), `redirect` (`follow`, `manual` or `error`), `signal`, `bodyBytes`, the greatest
 * size of an answer's body, and `tls`, the options of `secure` in sparrow:tcp. Rejects with
 * TypeError if there is no answer; an answer with a bad status is an answer.
 */
export async function fetch(target, options = {}) {
  const { redirect = 'follow', signal, bodyBytes = MOST_BODY_BYTES } = options;
  let { tls } = options;
  let request = requestOf(target, options);
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const answer = await exchanged(request, signal, bodyBytes, tls);
    const location = answer.headers.get('location');
    if (!REDIRECTS.has(answer.status) || location === null || redirect === 'manual') return answer;
    if (redirect === 'error')
      throw new TypeError(
        `${request.url} is redirected to ${location}, but the option redirect is 'error'`,
      );
    const next = redirected(request, answer.status, location);
    if (tls && next.url.origin !== request.url.origin) {
      const { cert: _cert, key: _key, servername: _name, ...shared } = tls;
      tls = shared;
    }
    request = next;
  }
  throw new TypeError(`${request.url} is redirected more than ${MOST_REDIRECTS} times`);
}

function requestOf(target, { method = 'GET', headers = {}, body = undefined }) {
  const name = /^(?:get|head|post|put|delete|options)$/i.test(method)
    ? method.toUpperCase()
    : method;
  if (!TOKEN.test(name)) throw new TypeError(`${JSON.stringify(method)} is not an HTTP method`);
  if (body != null && (name === 'GET' || name === 'HEAD')) {
    throw new TypeError(`a request with the method ${name} has no body`);
  }
  const request = { url: new URL(target), method: name, headers: new Headers(headers), body };
  for (const own of OWN) {
    if (request.headers.has(own))
      throw new TypeError(`the header ${own} cannot be set, because fetch sets it`);
  }
  if (body instanceof URLSearchParams || typeof body === 'string') {
    const type = typeof body === 'string' ? 'text/plain' : 'application/x-www-form-urlencoded';
    request.body = native.encode(String(body));
    if (!request.headers.has('content-type')) {
      request.headers.set('content-type', `${type};charset=UTF-8`);
    }
  } else if (isBytes(body)) {
    request.body = bytesOf(body);
  } else if (body != null) {
    throw new TypeError('a body must be a string, bytes or URLSearchParams');
  }
  return request;
}

function redirected(request, status, location) {
  const url = new URL(location, request.url);
  const headers = new Headers(request.headers);
  // What was meant for one host is nothing for another.
  if (url.origin !== request.url.origin) {
    for (const secret of ['authorization', 'cookie']) headers.delete(secret);
  }
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  if (!becomesGet) return { ...request, url, headers };
  for (const name of OF_BODY) headers.delete(name);
  return { url, headers, method: 'GET', body: undefined };
}

async function exchanged(request, signal, mostBytes, tls) {
  const { url, method } = request;
  signal?.throwIfAborted();
  if (!(url.protocol in PORTS)) {
    throw new TypeError(`${url.protocol} cannot be fetched; only http: and https: can`);
  }
  if (url.username !== '' || url.password !== '')
    throw new TypeError(
      'fetch does not send the user in a URL; set the header authorization instead',
    );
  const reader = new ResponseReader(method, mostBytes);
  const connection = await connected(url, signal, tls);
  const arrived = Promise.withResolvers();
  const give = () => reader.done && arrived.resolve();
  const attempt = (step) => {
    try {
      step();
      give();
    } catch (error) {
      arrived.reject(error);
    }
  };
  connection.ondata = (bytes) => attempt(() => reader.receive(bytes));
  connection.onend = () => attempt(() => reader.end());
  connection.onerror = (error) => arrived.reject(failed(url, error));
  try {
    connection.write(native.encodeLatin1(headOf(request)));
    if (request.body) connection.write(request.body);
    await unlessAborted(signal, arrived.promise);
  } finally {
    connection.close();
  }
  return new Response(reader.body(), { ...reader.head, url: url.href });
}

/** A connection, unless the signal comes first; a connection that comes later is closed. */
async function connected(url, signal, tls) {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const opening = connect(host, Number(url.port || PORTS[url.protocol]), {
    tls: url.protocol === 'https:' && { alpn: 'http/1.1', ...tls },
  });
  try {
    return await unlessAborted(signal, opening);
  } catch (error) {
    opening.then((late) => late.close()).catch(() => {});
    throw signal?.aborted ? signal.reason : failed(url, error);
  }
}

function headOf({ url, method, headers, body }) {
  let lines = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  for (const [name, value] of headers) lines += `${name}: ${value}\r\n`;
  if (!headers.has('accept')) lines += 'accept: */*\r\n';
  if (body || ['POST', 'PUT', 'PATCH'].includes(method)) {
    lines += `content-length: ${body?.length ?? 0}\r\n`;
  }
  return `${lines}connection: close\r\n\r\n`;
}

const failed = (url, cause) =>
  new TypeError(`${url.origin} cannot be fetched: ${cause.message}`, { cause });
