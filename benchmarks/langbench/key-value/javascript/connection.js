import { error } from './replies.js';
import { ProtocolError, Requests } from './requests.js';
import { Session } from './session.js';

const MOST_KEPT_BYTES = 65536;

/** A client's socket, and what it asks. */
export class Connection {
  constructor(socket, store, statistics, counting) {
    this.socket = socket;
    this.requests = new Requests();
    this.session = new Session(store, statistics, counting);
    this.kept = ''; // answers that have not been handed to the socket
    socket.on('data', (chunk) => {
      this.requests.push(chunk);
      this.answer();
    });
    socket.on('drain', () => {
      this.answer();
    });
    // A reset by the client is an end like any other.
    socket.on('error', () => {});
  }

  /** Answers what has come, for as long as the client takes its answers. */
  answer() {
    while (this.session.open && !this.socket.writableNeedDrain) {
      const words = this.nextWords();
      if (words === undefined) break;
      if (words.length > 0) this.kept += this.session.answer(words);
      if (this.kept.length >= MOST_KEPT_BYTES) this.send();
    }
    this.send();
    if (!this.session.open) this.socket.destroySoon();
    else if (this.socket.writableNeedDrain) this.socket.pause();
    else this.socket.resume();
  }

  /** The next request, or undefined where there is none, yet or for ever. */
  nextWords() {
    try {
      return this.requests.next();
    } catch (mistake) {
      if (!(mistake instanceof ProtocolError)) throw mistake;
      this.kept += error(`ERR Protocol error: ${mistake.message}`);
      this.session.open = false;
      return undefined;
    }
  }

  send() {
    if (this.kept !== '') this.socket.write(this.kept, 'latin1');
    this.kept = '';
  }
}
