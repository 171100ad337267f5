// Messages between a thread and its starter.

import native from 'sparrow:native';

const MESSAGE = 0;
const nothing = () => {};

/** One end. Set `onmessage(value)`, and `onend(status)` of a thread. */
export class Port {
  onend = nothing;
  #onmessage = nothing;
  #number;

  constructor(open) {
    this.#number = open((event, value) =>
      event === MESSAGE ? this.#onmessage(value) : this.onend(value),
    );
  }

  /** In a thread, messages wait until this is set. */
  set onmessage(handler) {
    this.#onmessage = handler;
    native.listenPort(this.#number);
  }

  get number() {
    return this.#number;
  }

  /** A value that structured clone can copy. Memory of a SharedArrayBuffer is shared. */
  send(value) {
    native.sendMessage(this.#number, value);
  }

  /** Whether the program waits for messages before it ends. */
  hold(held) {
    native.holdPort(this.#number, held);
  }

  /** Takes no more messages, and does not keep the program going. */
  close() {
    this.#onmessage = nothing;
    this.hold(false);
  }

  signal(number) {
    native.signalThread(this.#number, number);
  }

  end() {
    native.endThread(this.#number);
  }
}

/** A thread that runs `file`, in which `data` is a copy of this. */
export const startThread = (file, data) =>
  new Port((events) => native.startThread(file, data, events));

/** In a thread: what it was started with, and the port to its starter. Otherwise undefined. */
export const data = native.threadData();
export const starter = data && new Port(native.openStarter);
