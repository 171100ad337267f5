// URLs as the web parses them, but for the drive letters of Windows and hosts in other scripts.

import { domain, opaqueHost } from 'sparrow:internal/url-host';
import native from 'sparrow:native';

/** The schemes that the web knows, and the port that each of them means without saying so. */
export const SPECIAL = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'ftp:': 21,
  'file:': -1,
};

const MOST_PORT = 65535;
const SETS = {
  fragment: / |"|<|>|`/,
  query: / |"|#|<|>/,
  specialQuery: / |"|#|<|>|'/,
  path: / |"|#|<|>|\?|\^|`|\{|\}/,
  userinfo: / |"|#|<|>|\?|\^|`|\{|\}|\/|:|;|=|@|\[|\\|\]|\|/,
  control: /(?!)/,
};

/** The text with percent signs for what the set has, for controls, and for all beyond ASCII. */
export function encoded(text, set) {
  if (!/[^\x21-\x7e]/.test(text) && !SETS[set].test(text)) return text;
  let made = '';
  for (const character of text) {
    if (/[\x20-\x7e]/.test(character) && !SETS[set].test(character)) made += character;
    else for (const byte of native.encode(character)) made += percent(byte);
  }
  return made;
}

const percent = (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/**
 * The parts of a URL: scheme with its colon, username, password, host (null: none), port ('' if it
 * is the scheme's own), path (an array, or a string that has no parts), query and fragment (null:
 * none). Throws TypeError for what is no URL.
 */
export function parse(input, base) {
  const text = input.replace(/^[\0- ]+|[\0- ]+$/g, '').replace(/[\t\n\r]/g, '');
  const [, before, fragment] = /^([^#]*)(?:#(.*))?$/s.exec(text);
  const scheme = /^[a-z][a-z0-9+\-.]*:/i.exec(before)?.[0].toLowerCase();
  const url = scheme
    ? absolute(scheme, before.slice(scheme.length), input, base)
    : relative(before, input, base);
  url.fragment = fragment === undefined ? null : encoded(fragment, 'fragment');
  return url;
}

function absolute(scheme, rest, input, base) {
  if (!(scheme in SPECIAL)) return withRest({ ...EMPTY, scheme }, rest, input);
  // As browsers do: `https:path` is relative to a base of the same scheme.
  const slashed = rest.replace(/^[^?]*/, (front) => front.replaceAll('\\', '/'));
  if (base?.scheme === scheme && !slashed.startsWith('//')) return relative(rest, input, base);
  if (scheme === 'file:') {
    if (!slashed.startsWith('//') && base?.scheme === scheme) return relative(rest, input, base);
    const whole = slashed.startsWith('//') ? slashed : `//${slashed.replace(/^(?!\/)/, '/')}`;
    return withRest({ ...EMPTY, scheme }, whole, input);
  }
  return withRest({ ...EMPTY, scheme }, `//${slashed.replace(/^\/*/, '')}`, input);
}

const EMPTY = { username: '', password: '', host: null, port: '', path: [], query: null };

function relative(rest, input, base) {
  if (base === undefined)
    throw new TypeError(`invalid URL: '${input}' has no scheme, and there is no base`);
  if (typeof base.path === 'string') {
    if (rest === '' && input.includes('#')) return { ...base };
    throw new TypeError(`invalid URL: a URL cannot be relative to '${base.scheme}'`);
  }
  const special = base.scheme in SPECIAL;
  const slashed = special ? rest.replace(/^[^?]*/, (front) => front.replaceAll('\\', '/')) : rest;
  if (slashed.startsWith('//')) {
    const many = special && base.scheme !== 'file:' ? slashed.replace(/^\/+/, '//') : slashed;
    return withRest({ ...EMPTY, scheme: base.scheme }, many, input);
  }
  const [, path, query] = /^([^?]*)(?:\?(.*))?$/s.exec(slashed);
  const own = query === undefined ? null : encodedQuery(query, base.scheme);
  if (path === '') return { ...base, query: query === undefined ? base.query : own };
  const folder = path.startsWith('/') ? [] : base.path.slice(0, -1);
  return { ...base, path: segments(path.replace(/^\//, ''), special, folder), query: own };
}

/** Parses what is behind the scheme: `//user@host:port/path?query`, `/path` or an opaque path. */
function withRest(url, rest, input) {
  const [, front, query] = /^([^?]*)(?:\?(.*))?$/s.exec(rest);
  const special = url.scheme in SPECIAL;
  url.query = query === undefined ? null : encodedQuery(query, url.scheme);
  if (front.startsWith('//')) {
    const [, authority, path] = /^\/\/([^/]*)(.*)$/s.exec(front);
    setAuthority(url, authority, input);
    const parts = path.startsWith('/') ? path.slice(1) : path;
    url.path = path === '' && !special ? [] : segments(parts, special);
  } else if (front.startsWith('/')) {
    url.path = segments(front.slice(1), special);
  } else {
    // Spaces at the end would vanish when the URL is parsed again.
    const spaced = query === undefined ? front.replace(/ $/, '%20') : front;
    url.path = encoded(spaced.replaceAll(' ', '\0'), 'control').replaceAll('%00', ' ');
  }
  return url;
}

function setAuthority(url, authority, input) {
  const at = authority.lastIndexOf('@');
  const place = authority.slice(at + 1);
  if (at >= 0) {
    const [, username, password] = /^([^:]*)(?::(.*))?$/s.exec(authority.slice(0, at));
    url.username = encoded(username, 'userinfo');
    url.password = encoded(password ?? '', 'userinfo');
  }
  const [, host, port = ''] = /^(\[[^\]]*\]?|[^:]*)(?::(.*))?$/s.exec(place) ?? [];
  if (host === undefined) throw new TypeError(`invalid URL: '${input}' has no host`);
  const special = url.scheme in SPECIAL;
  if (url.scheme === 'file:' && (at >= 0 || place !== host)) {
    throw new TypeError(`invalid URL: a file's host has no port and no user: '${input}'`);
  }
  if (host === '' && ((special && url.scheme !== 'file:') || at >= 0 || port !== '')) {
    throw new TypeError(`invalid URL: '${input}' has no host`);
  }
  url.host = hostOf(host, url.scheme);
  url.port = portOf(port, url.scheme);
}

export function hostOf(text, scheme) {
  if (!(scheme in SPECIAL)) return opaqueHost(text, (host) => encoded(host, 'control'));
  if (scheme !== 'file:') return domain(text);
  const host = text === '' ? '' : domain(text);
  return host === 'localhost' ? '' : host;
}

export function portOf(text, scheme) {
  if (!/^\d*$/.test(text) || Number(text) > MOST_PORT) {
    throw new TypeError(`invalid URL: '${text}' is no port`);
  }
  return text === '' || Number(text) === SPECIAL[scheme] ? '' : Number(text);
}

export function encodedQuery(text, scheme) {
  return encoded(text, scheme in SPECIAL ? 'specialQuery' : 'query');
}

/** The parts of a path behind those of `folder`, without dots. */
export function segments(path, special, folder = []) {
  const made = [...folder];
  const parts = (special ? path.replaceAll('\\', '/') : path).split('/');
  parts.forEach((part, index) => {
    const dots = part.replace(/%2e/gi, '.');
    const last = index === parts.length - 1;
    if (dots === '..') made.pop();
    if (dots !== '..' && dots !== '.') made.push(encoded(part, 'path'));
    else if (last) made.push('');
  });
  return made;
}

/** The text of the parts, without the fragment's and the query's own marks if they are missing. */
export function written(url) {
  const user = url.password === '' ? url.username : `${url.username}:${url.password}`;
  const port = url.port === '' ? '' : `:${url.port}`;
  const place = url.host === null ? '' : `//${user === '' ? '' : `${user}@`}${url.host}${port}`;
  const query = url.query === null ? '' : `?${url.query}`;
  const fragment = url.fragment === null ? '' : `#${url.fragment}`;
  // Two slashes would otherwise begin a host.
  const guard = url.host === null && url.path[0] === '' && url.path.length > 1 ? '/.' : '';
  return `${url.scheme}${place}${Array.isArray(url.path) ? guard : ''}${pathOf(url)}${query}${fragment}`;
}

export function pathOf({ path }) {
  if (typeof path === 'string') return path;
  return path.map((part) => `/${part}`).join('');
}
