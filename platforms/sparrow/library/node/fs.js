// Node's fs, as far as it reads and writes small files at once.

import { fileURLToPath } from 'node:url';
import { encodingOf, viewed } from 'sparrow:internal/buffer';
import { asBytes, bytesOf, joined } from 'sparrow:internal/bytes';
import { wholePath } from 'sparrow:internal/whole-text';
import native from 'sparrow:native';

const READ = 0;
const WRITE = 0o1;
const CREATE = 0o100;
const FLAGS = { r: READ, 'r+': 0o2, w: WRITE | CREATE | 0o1000, a: WRITE | CREATE | 0o2000 };
const NO_POSITION = -1; // where the last read ended
const READ_BYTES = 65536;

export const constants = { O_RDONLY: READ, O_WRONLY: WRITE, O_CREAT: CREATE, O_NONBLOCK: 0o4000 };

/** A path as a string: also of a `file:` URL. */
const named = (path) => wholePath(path instanceof URL ? fileURLToPath(path) : path);

/** Bytes of a path, or the rest of a descriptor's; their text if an encoding is given. */
export function readFileSync(file, options) {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  const bytes = viewed(typeof file === 'number' ? restOf(file) : native.readFile(named(file)));
  return encoding ? encodingOf(encoding).decode(bytes, 0, bytes.length) : bytes;
}

function restOf(descriptor) {
  const parts = [];
  for (;;) {
    const part = new Uint8Array(READ_BYTES);
    const count = native.readInto(descriptor, part, NO_POSITION);
    if (count === 0) return joined(parts);
    parts.push(part.subarray(0, count));
  }
}

/** To a path or a descriptor. */
export function writeFileSync(file, content, options) {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  const bytes =
    typeof content === 'string' ? encodingOf(encoding).encode(content) : bytesOf(content);
  if (typeof file === 'number') return native.writeAll(file, bytes);
  const descriptor = openSync(file, options?.flag ?? 'w', options?.mode);
  try {
    native.writeAll(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
}

export function writeSync(descriptor, content, ...rest) {
  if (rest.some((value) => value !== undefined)) {
    throw new RangeError('writeSync writes a whole string or whole bytes, at the end of what was');
  }
  const bytes = asBytes(content);
  native.writeAll(descriptor, bytes);
  return bytes.length;
}

export function openSync(path, flags = 'r', mode = undefined) {
  const number = typeof flags === 'number' ? flags : FLAGS[flags];
  if (number === undefined) {
    throw new RangeError(
      `there are no flags '${flags}'; the flags are ${Object.keys(FLAGS).join(', ')}`,
    );
  }
  return native.openFile(named(path), number, modeOf(mode));
}

/** What a file that is made permits: a number, or its octal digits. */
function modeOf(mode) {
  const number = Number(typeof mode === 'string' ? `0o${mode}` : (mode ?? 0o666));
  if (Number.isInteger(number)) return number;
  throw new RangeError(`there is no mode '${mode}'`);
}

export function readSync(descriptor, bytes, offset = 0, length = undefined, position = null) {
  if (typeof offset === 'object') {
    return readSync(descriptor, bytes, offset?.offset, offset?.length, offset?.position);
  }
  const into = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = length === undefined ? into.length : offset + length;
  if (end > into.length) throw new RangeError('the bytes to read do not fit into the buffer');
  return native.readInto(descriptor, into.subarray(offset, end), position ?? NO_POSITION);
}

export function closeSync(descriptor) {
  native.closeFile(descriptor);
}

export function statSync(path) {
  const [size, mtimeMs, folder, regular] = native.fileStatus(named(path));
  return {
    size,
    mtimeMs,
    mtime: new Date(mtimeMs),
    isFile: () => regular,
    isDirectory: () => folder,
  };
}

export function existsSync(path) {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

export function readdirSync(path, ...rest) {
  if (rest.some((value) => value !== undefined)) {
    throw new RangeError('readdirSync has no options: it gives the names in one folder');
  }
  return native.listFolder(named(path));
}

export default {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
};
