// A request's target, as the name of a file.

import { Failure } from './failure.js';

const AUTHORITY = /^http:\/\/[^/?]+/i;
const ESCAPE = /%([0-9A-Fa-f]{2})?/g;
// A segment must not leave its folder, whatever it is taken for: neither "." nor "..".
const SEGMENT = /^(?!\.{1,2}$)[ -.0-[\]-~]+$/;

/** The names of folders on the way, and the file's own. Throws Failure. */
export function fileName(target) {
  let path = target;
  if (AUTHORITY.test(path)) {
    path = path.replace(AUTHORITY, '');
    if (!path.startsWith('/')) path = '/';
  }
  if (!path.startsWith('/')) throw new Failure(400);
  const [name] = path.split('?', 1);
  const segments = name.slice(1).split('/').map(unescaped);
  if (!segments.every((segment) => SEGMENT.test(segment))) throw new Failure(404);
  return segments;
}

/** Every %XX becomes the character that stands for its byte. Throws Failure. */
function unescaped(segment) {
  return segment.replace(ESCAPE, (_, digits) => {
    if (digits === undefined) throw new Failure(400);
    return String.fromCharCode(Number.parseInt(digits, 16));
  });
}
