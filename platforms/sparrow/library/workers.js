// Workers: the same program once for each processor, in processes or threads that share a port.

import { joined } from 'sparrow:internal/bytes';
import { data, startThread, starter } from 'sparrow:internal/port';
import { whole } from 'sparrow:internal/range';
import { numberOf } from 'sparrow:internal/signals';
import native from 'sparrow:native';
import { env, sendSignal } from 'sparrow:process';
import { adopt } from 'sparrow:tcp';

const CHANNEL = 3;
const LINE = 10;
const MOST_WORKERS = 1024;

const mark = starter ? data.mark : env.SPARROW_WORKER;
const [, index, count] = /^(\d+)\/(\d+)$/.exec(mark ?? '') ?? [];

/** In a worker: which it is, of how many, and the channel to its parent. Otherwise undefined. */
export const worker = index ? { index: Number(index), count: Number(count) } : undefined;
export const processors = native.processors();

/** Values as lines of JSON, both ways. */
export class Channel {
  onmessage = () => {};
  onclose = () => {};
  #stream;
  #rest = new Uint8Array();

  constructor(descriptor) {
    this.#stream = adopt(descriptor);
    this.#stream.ondata = (bytes) => this.#receive(bytes);
    this.#stream.onend = this.#stream.onerror = () => this.onclose();
  }

  send(value) {
    const text = JSON.stringify(value);
    if (text === undefined) throw new TypeError('a message must be a value that JSON can hold');
    this.#stream.write(native.encode(`${text}\n`));
  }

  hold(held) {
    this.#stream.hold(held);
  }

  close() {
    this.#stream.close();
  }

  #receive(bytes) {
    const all = joined([this.#rest, bytes]);
    let begin = 0;
    for (let end = all.indexOf(LINE); end >= 0; end = all.indexOf(LINE, begin)) {
      this.onmessage(JSON.parse(native.decode(all, begin, end)));
      begin = end + 1;
    }
    this.#rest = all.slice(begin);
  }
}

if (worker && starter) {
  worker.channel = starter; // its values are copied by structured clone
} else if (worker) {
  worker.channel = new Channel(CHANNEL);
  // Without its parent a worker would go on unseen.
  worker.channel.onclose = () => native.exit(1);
  worker.channel.hold(false);
}

/**
 * Starts this program again in `count` processes, in each of which `worker` is set. Each returned
 * one has `send(value)`, `onmessage`, `signal(name)`, and `ended`, a promise of its exit status.
 */
export function startWorkers(count) {
  return started(count, startWorker);
}

/** The same in `count` threads of this process. `signal(name)` calls the thread's own handler. */
export function startThreads(count) {
  return started(count, startOwnThread);
}

function started(count, start) {
  if (native.arguments().length < 2)
    throw new Error('workers run the file of the program, but sparrow was started without a file');
  whole('the number of workers', count, 1, MOST_WORKERS);
  return Array.from({ length: count }, (_, index) => start(index, count));
}

function startOwnThread(index, count) {
  const ended = Promise.withResolvers();
  const port = startThread(native.arguments()[1], { mark: `${index}/${count}` });
  port.onend = ended.resolve;
  return {
    index,
    pid: native.processId(),
    ended: ended.promise,
    send: (value) => port.send(value),
    signal: (name) => port.signal(numberOf(name)),
    set onmessage(handler) {
      port.onmessage = handler;
    },
  };
}

function startWorker(index, count) {
  const ended = Promise.withResolvers();
  let running = true;
  let killedBy = 0;
  const [pid, descriptor] = native.startWorker(`${index}/${count}`, (status, signal) => {
    running = false;
    killedBy = signal;
    ended.resolve(status);
  });
  const channel = new Channel(descriptor);
  channel.onclose = () => channel.close();
  return {
    index,
    pid,
    ended: ended.promise,
    send: (value) => channel.send(value),
    signal: (name) => running && sendSignal(pid, name),
    get killedBy() {
      return killedBy;
    },
    set onmessage(handler) {
      channel.onmessage = handler;
    },
  };
}
