// Files. They are read and written at once: the loop waits for the disk.

import { asBytes } from 'sparrow:internal/bytes';
import { wholePath } from 'sparrow:internal/whole-text';
import native from 'sparrow:native';

const WRITE_NEW = 0o1 | 0o100 | 0o1000; // O_WRONLY, O_CREAT, O_TRUNC

/** A file's bytes. */
export function readBytes(path) {
  return native.readFile(wholePath(path));
}

/** A file's text. */
export function readText(path) {
  const bytes = readBytes(path);
  return native.decode(bytes, 0, bytes.length);
}

export function write(path, content) {
  const bytes = asBytes(content);
  const file = native.openFile(wholePath(path), WRITE_NEW, 0o666);
  try {
    native.writeAll(file, bytes);
  } finally {
    native.closeFile(file);
  }
}

/** The names in a folder. */
export function list(path) {
  return native.listFolder(wholePath(path));
}

/** Size, last change and kind of a file; undefined if there is none. */
export function status(path) {
  try {
    const [size, changed, folder] = native.fileStatus(wholePath(path));
    return { size, changed: new Date(changed), folder };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
