// The global `process`: the part of Node's that small programs use.

import { asBytes } from 'sparrow:internal/bytes';
import native from 'sparrow:native';
import { env, exit, onSignal, pid } from 'sparrow:process';

const versions = native.versions();
let status = 0;

const hrtime = (since) => {
  const now =
    native.monotonicNs() - (since ? BigInt(since[0]) * 1000000000n + BigInt(since[1]) : 0n);
  return [Number(now / 1000000000n), Number(now % 1000000000n)];
};
hrtime.bigint = native.monotonicNs;

export const process = {
  argv: native.arguments(),
  execArgv: [],
  execPath: native.arguments()[0],
  env,
  pid,
  platform: 'linux',
  version: `v${versions.sparrow}`,
  release: { name: 'sparrow' },
  versions,
  hrtime,
  exit,
  get exitCode() {
    return status;
  },
  set exitCode(value) {
    status = value;
    native.setExitStatus(value);
  },
  cwd: native.workingFolder,
  /** How the engine was compiled. */
  get config() {
    const content = native.readFile(`${native.home()}/engine.json`);
    return JSON.parse(native.decode(content, 0, content.length));
  },
  uptime: () => performance.now() / 1000,
  memoryUsage() {
    const { rss, heapTotal, heapUsed, external } = native.memory();
    return { rss, heapTotal, heapUsed, external };
  },
  cpuUsage(since = { user: 0, system: 0 }) {
    const [user, system] = native.cpuUsage();
    return { user: user - since.user, system: system - since.system };
  },
  /** Signals alone: the process has no other events. */
  on(name, handler) {
    onSignal(name, handler);
    return process;
  },
  once(name, handler) {
    let called = false;
    return process.on(name, () => {
      if (!called) handler();
      called = true;
    });
  },
  stdout: { write: (text) => native.writeAll(1, asBytes(text)) },
  stderr: { write: (text) => native.writeAll(2, asBytes(text)) },
};
