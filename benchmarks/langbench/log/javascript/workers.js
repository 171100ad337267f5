// Workers, each with a block of the files: threads, or the main thread alone.

import { Worker } from 'worker_threads';

import { UsageError } from '../../../harness/javascript/harness.js';
import { Archive, lineEnd, Parser } from './archive.js';
import { counts } from './counts.js';
import { readLog } from './folder.js';
import { forEachCandidate, matches } from './query.js';
import { copied } from './tokens.js';

/** Divides the files into as many blocks of neighbours as there are workers, and starts these. */
export async function startWorkers(files, count) {
  const firstOf = (worker) => Math.floor((files.length * worker) / count);
  const blocks = Array.from({ length: count }, (_, worker) => {
    const first = firstOf(worker);
    return { files: files.slice(first, firstOf(worker + 1)), first };
  });
  if (count === 1) return [new Block(blocks[0])];
  const threads = blocks.map((block) => new Thread(block));
  await Promise.all(threads.map((thread) => thread.made()));
  return threads;
}

/**
 * A worker's share of the work. What it is given and what it gives is plain data, which can be sent
 * to and from a thread.
 */
export class Block {
  /** `files` are paths, the first of which is number `first` of all. */
  constructor({ files, first }) {
    this.files = files;
    this.first = first;
    this.counted = {}; // all is counted by the thread that it is in
  }

  /** Encodes the files, and gives the dictionaries. */
  parse() {
    const parser = new Parser();
    for (const file of this.files) parser.parse(readLog(file));
    this.messages = parser.files;
    return { types: parser.types, variables: parser.variables };
  }

  /** Encodes the files, and gives the texts of the dictionaries, with the number of new entries. */
  parseForMain() {
    const { types, variables } = this.parse();
    return { types: types.taken(), variables: variables.taken() };
  }

  /** Gives the messages the common ids, and gives the matches of every plan. */
  search({ types, variables, own, plans }) {
    const archive = new Archive(types, variables);
    if (own) for (const messages of this.messages) archive.renumber(messages, own);
    return plans.map((plan) => {
      const found = [];
      this.messages.forEach((messages, index) => {
        forEachCandidate(plan, archive, messages, (type, at) => {
          counts.candidates++; // tick
          const line = archive.decode(type, messages.values, at);
          if (matches(line, plan.pieces)) {
            counts.matches++; // tick
            found.push({ file: this.first + index, line });
          }
        });
      });
      return found;
    });
  }

  /** Gives the matches of every regular expression. */
  regex({ expressions }) {
    return expressions.map((expression) => {
      const found = [];
      this.files.forEach((path, index) => {
        const content = readLog(path);
        for (let begin = 0; begin < content.length; ) {
          const end = lineEnd(content, begin);
          const line = content.slice(begin, end);
          counts.lines++; // tick
          if (expression.test(line)) {
            counts.matches++; // tick
            found.push({ file: this.first + index, line: copied(line) });
          }
          begin = end + 1;
        }
      });
      return found;
    });
  }
}

/** A worker thread and its block, whose methods answer by promises. */
class Thread {
  constructor(block) {
    const options = { stdout: true, stderr: true, workerData: block }; // as in recorder.js
    this.worker = new Worker(new URL('./thread.js', import.meta.url), options);
  }

  parse() {
    return this.perform('parseForMain');
  }

  search(argument) {
    return this.perform('search', argument);
  }

  regex(argument) {
    return this.perform('regex', argument);
  }

  perform(work, argument) {
    this.worker.postMessage({ work, argument });
    return this.made();
  }

  /** What the thread posts next. While nobody waits for it, it does not keep the process alive. */
  made() {
    this.worker.ref();
    return new Promise((resolve, reject) => {
      this.worker.once('error', reject);
      this.worker.once('message', ({ made, counted, mistake }) => {
        this.worker.removeListener('error', reject);
        this.worker.unref();
        this.counted = counted;
        if (mistake === undefined) resolve(made);
        else reject(new UsageError(mistake));
      });
    });
  }
}
