// A request, and the file that its target names.

const MOST_BODY_BYTES = 65536;
const MOST_DIGITS = 15;

const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP\/([0-9])\.([0-9])$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)$/;
const HOST = /^[A-Za-z0-9._~%!$&'()*+;=:[\]-]*$/;
const ABSOLUTE = /^http:\/\/([^/?]*)(.*)$/i;
const ESCAPE = /%([0-9A-Fa-f]{2})?/g;
const NAME = /^(?!\.\.?$)[ -.0-[\]-~]+$/;

/** A request that is not answered with a file. `field` is a further line of the head. */
export class Failure extends Error {
  constructor(status, field = '') {
    super(status);
    this.status = status;
    this.field = field;
  }
}

export class Request {
  constructor(line) {
    const parts = LINE.exec(line);
    if (parts === null) throw new Failure(400);
    if (parts[3] !== '1') throw new Failure(505);
    this.method = parts[1];
    this.target = parts[2];
    this.minor = parts[4] === '0' ? 0 : 1;
    this.headers = new Map();
  }

  add(line) {
    const parts = FIELD.exec(line);
    if (parts === null) throw new Failure(400);
    const name = parts[1].toLowerCase();
    const value = withoutBlanks(parts[2]);
    const before = this.headers.get(name);
    this.headers.set(name, before === undefined ? value : `${before},${value}`);
  }

  bodyLength() {
    const host = this.headers.get('host');
    if (host === undefined ? this.minor === 1 : !HOST.test(host)) throw new Failure(400);
    const length = this.headers.get('content-length');
    if (this.headers.has('transfer-encoding')) throw new Failure(length === undefined ? 411 : 400);
    if (length !== undefined && !/^[0-9]+$/.test(length)) throw new Failure(400);
    const bytes = length === undefined ? 0 : number(length);
    if (bytes > MOST_BODY_BYTES) throw new Failure(413);
    if (this.headers.has('expect') && this.minor === 1) throw new Failure(417);
    return bytes;
  }

  isPersistent() {
    const tokens = (this.headers.get('connection') || '').split(',');
    const names = tokens.map((token) => withoutBlanks(token).toLowerCase());
    return !names.includes('close') && (this.minor === 1 || names.includes('keep-alive'));
  }

  /** The names of the folders, and of the file. */
  fileName() {
    let path = this.target;
    const absolute = ABSOLUTE.exec(path);
    if (absolute !== null) {
      if (absolute[1] === '') throw new Failure(400);
      path = absolute[2].startsWith('/') ? absolute[2] : '/';
    }
    if (!path.startsWith('/')) throw new Failure(400);
    const names = path.split('?')[0].slice(1).split('/').map(unescaped);
    if (!names.every((name) => NAME.test(name))) throw new Failure(404);
    return names;
  }
}

/** A number of digits; with more than 15 digits it counts as 10^15. */
export function number(digits) {
  return digits.length > MOST_DIGITS ? 1e15 : Number(digits);
}

/** Without the spaces and tabs at its ends. `trim` also removes other characters. */
function withoutBlanks(text) {
  let begin = 0;
  let end = text.length;
  while (begin < end && ' \t'.includes(text[begin])) begin++;
  while (begin < end && ' \t'.includes(text[end - 1])) end--;
  return text.slice(begin, end);
}

function unescaped(segment) {
  return segment.replace(ESCAPE, (_, code) => {
    if (code === undefined) throw new Failure(400);
    return String.fromCharCode(parseInt(code, 16));
  });
}
