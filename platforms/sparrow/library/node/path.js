// Node's path, for the file names of Linux.

import { process } from 'sparrow:internal/node-process';

export const sep = '/';
export const delimiter = ':';

export const isAbsolute = (path) => path.startsWith(sep);

/** Without '.', '..' and doubled slashes, as far as the path itself can tell. */
export function normalize(path) {
  const absolute = isAbsolute(path);
  const kept = [];
  for (const part of path.split(sep)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!absolute) kept.push(part);
  }
  const joined = kept.join(sep);
  const end = path.endsWith(sep) && joined !== '' ? sep : '';
  return (absolute ? sep : '') + joined + end || '.';
}

export function join(...parts) {
  return normalize(parts.filter((part) => part !== '').join(sep));
}

export function resolve(...parts) {
  let whole = '';
  for (const part of [...parts].reverse()) {
    if (part !== '') whole = whole === '' ? part : `${part}${sep}${whole}`;
    if (isAbsolute(whole)) break;
  }
  if (!isAbsolute(whole)) whole = `${process.cwd()}${sep}${whole}`;
  const path = normalize(whole);
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path;
}

export function dirname(path) {
  const at = path.replace(/\/+$/, '').lastIndexOf(sep);
  if (at < 0) return isAbsolute(path) ? sep : '.';
  if (at === 1 && isAbsolute(path)) return '//';
  return path.slice(0, at) || sep;
}

export function basename(path, ending = '') {
  const name = path.replace(/\/+$/, '').split(sep).at(-1);
  return ending !== name && name.endsWith(ending)
    ? name.slice(0, name.length - ending.length)
    : name;
}

export function extname(path) {
  const name = basename(path);
  const at = name.lastIndexOf('.');
  return at <= 0 || name === '..' ? '' : name.slice(at);
}

export default { basename, delimiter, dirname, extname, isAbsolute, join, normalize, resolve, sep };
