// Node's url: the globals, and file names as URLs.

import { resolve } from 'node:path';

const { URL, URLSearchParams } = globalThis;

export { URL, URLSearchParams };

export function fileURLToPath(url) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:') throw new TypeError(`'${url}' names no file`);
  return decodeURIComponent(pathname);
}

export function pathToFileURL(path) {
  return new URL(`file://${resolve(path).split('/').map(encodeURIComponent).join('/')}`);
}

export default { fileURLToPath, pathToFileURL, URL, URLSearchParams };
