// Child processes: other programs, whose standard streams are connections.

import { asBytes, joined } from 'sparrow:internal/bytes';
import { wholePath, wholeText } from 'sparrow:internal/whole-text';
import native from 'sparrow:native';
import { env, sendSignal } from 'sparrow:process';
import { adopt } from 'sparrow:tcp';

const WORKER = 'SPARROW_WORKER'; // what makes a process a worker, which its children are not

/**
 * Starts a program, which is searched in PATH. `options`: `folder`, in which it runs, and `env`, its
 * variables. Returns `pid`, `stdin`, `stdout` and `stderr` (connections), `signal(name)`, and
 * `ended`, a promise of its exit status, which is 128 plus the number of the signal that has ended
 * it. Throws an error with a `code` if it cannot be started.
 */
export function start(command, args = [], { folder = '', env: variables = env } = {}) {
  const ended = Promise.withResolvers();
  const lines = Object.entries(variables)
    .filter(([name, value]) => name !== WORKER && value !== undefined)
    .map(([name, value]) => wholeText('a variable', `${name}=${value}`, name));
  const words = [command, ...args].map((word) => wholeText('a word of a command', word));
  let running = true;
  const [pid, ...sockets] = native.startProcess(words, lines, wholePath(folder), (status) => {
    running = false;
    stdin.close();
    ended.resolve(status);
  });
  const [stdin, stdout, stderr] = sockets.map((socket) => adopt(socket));
  for (const output of [stdout, stderr]) output.end(); // so that it closes with the program's end
  const signal = (name) => running && sendSignal(pid, name);
  return { pid, stdin, stdout, stderr, signal, ended: ended.promise };
}

/** Runs a program to its end, with the string or bytes `input`: `status`, `stdout` and `stderr`. */
export async function run(command, args = [], { input = '', ...options } = {}) {
  const bytes = asBytes(input);
  const child = start(command, args, options);
  const outputs = [collected(child.stdout), collected(child.stderr)];
  child.stdin.write(bytes);
  child.stdin.end();
  const [status, stdout, stderr] = await Promise.all([child.ended, ...outputs]);
  return { status, stdout, stderr };
}

function collected(output) {
  const parts = [];
  const whole = Promise.withResolvers();
  output.ondata = (bytes) => parts.push(bytes.slice());
  output.onend = () => whole.resolve(joined(parts));
  output.onerror = whole.reject;
  return whole.promise;
}
