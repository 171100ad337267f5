// Node's url: the globals, and file names as URLs.

import { resolve } from 'node:path';

const { URL, URLSearchParams } = globalThis;

export { URL, URLSearchParams };

/** What a path may have in it, but not a URL, or what means something else there. */
const ESCAPED = /[\0\t\n\r "#%?[\\\]^|~]/g;
const escaped = (mark) => `%${mark.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;

export function fileURLToPath(url) {
  const { protocol, host, pathname } = new URL(url);
  if (protocol !== 'file:' || host !== '' || /%2f/i.test(pathname)) {
    throw new TypeError(`'${url}' names no file of this machine`);
  }
  return decodeURIComponent(pathname);
}

export function pathToFileURL(path) {
  const whole = resolve(path);
  const end = path.endsWith('/') && whole !== '/' ? '/' : '';
  return new URL(`file://${whole.replace(ESCAPED, escaped)}${end}`);
}

export default { fileURLToPath, pathToFileURL, URL, URLSearchParams };
