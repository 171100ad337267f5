// Node's fs, as far as it reads and writes small files at once.

import native from 'sparrow:native';

const decoded = (bytes) => native.decode(bytes, 0, bytes.length);
const FLAGS = { r: 0, w: 0o1 | 0o100 | 0o1000, a: 0o1 | 0o100 | 0o2000 };

export const constants = { O_RDONLY: 0, O_NONBLOCK: 0o4000 };

/** A file's bytes; its text, if an encoding is given, which can only be UTF-8. */
export function readFileSync(path, options) {
  const encoding = typeof options === 'string' ? options : options?.encoding;
  if (encoding && !/^utf-?8$/i.test(encoding)) throw new RangeError(`no encoding '${encoding}'`);
  const bytes = native.readFile(String(path));
  return encoding ? decoded(bytes) : bytes;
}

/** To a path or a descriptor. */
export function writeFileSync(file, content) {
  if (typeof file === 'number') return native.writeAll(file, content);
  const descriptor = openSync(file, 'w');
  try {
    native.writeAll(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

export function writeSync(descriptor, content) {
  native.writeAll(descriptor, content);
}

export function openSync(path, flags = 'r') {
  return native.openFile(String(path), typeof flags === 'number' ? flags : FLAGS[flags]);
}

export function readSync(descriptor, bytes) {
  return native.readInto(descriptor, bytes);
}

export function closeSync(descriptor) {
  native.closeFile(descriptor);
}

export function existsSync(path) {
  return native.fileStatus(String(path)) !== undefined;
}

export function readdirSync(path) {
  return native.listFolder(String(path));
}

export default {
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
};
