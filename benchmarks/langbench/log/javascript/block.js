// A worker's share of the work: the files of its block.

import { Archive, lineEnd, Parser } from './archive.js';
import { readLog } from './folder.js';
import { forEachCandidate, matches } from './query.js';
import { copied, NUMBER_PLACEHOLDER, tokenBegin, tokenEnd } from './tokens.js';

/** What it is given and what it gives is plain data, which can be sent to and from a thread. */
export class Block {
  /** `files` are paths, the first of which is number `first` of all. */
  constructor({ files, first }) {
    this.files = files;
    this.first = first;
  }

  /** Encodes the files, and gives the texts of the dictionaries. */
  parse() {
    const parser = new Parser();
    for (const file of this.files) parser.parse(readLog(file));
    this.messages = parser.files;
    return { types: parser.types.texts, variables: parser.variables.texts };
  }

  /** Gives the messages the common ids, and gives the matches of every plan. */
  search({ types, variables, own, plans }) {
    this.archive = new Archive(types, variables);
    this.plans = plans;
    if (own) for (const messages of this.messages) this.archive.renumber(messages, own);
    return plans.map((plan) => {
      const found = [];
      this.messages.forEach((messages, index) => {
        forEachCandidate(plan, this.archive, messages, (type, at) => {
          const line = this.archive.decode(type, messages.values, at);
          if (matches(line, plan.pieces)) found.push({ file: this.first + index, line });
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
          if (expression.test(line)) found.push({ file: this.first + index, line: copied(line) });
          begin = end + 1;
        }
      });
      return found;
    });
  }

  /** Counts the lines of the files. */
  countLines() {
    let lines = 0;
    for (const file of this.files) {
      const content = readLog(file);
      for (let begin = 0; begin < content.length; lines++) begin = lineEnd(content, begin) + 1;
    }
    return { lines };
  }

  /** Counts what was made of the files; each is decoded and compared with what is read anew. */
  countArchive() {
    const counters = { lines: 0, tokens: 0, numbers: 0, references: 0, candidates: 0 };
    this.messages.forEach((messages, index) => {
      const content = readLog(this.files[index]);
      if (this.decoded(messages) !== content) {
        throw new Error(`${this.files[index]} does not come back from its encoding`);
      }
      counters.lines += messages.types.length;
      for (const id of messages.types) {
        for (const kind of this.archive.logTypes[id].kinds) {
          if (kind === NUMBER_PLACEHOLDER) counters.numbers++;
          else counters.references++;
        }
      }
      const { length } = content;
      let begin = tokenBegin(content, 0, length);
      while (begin < length) {
        counters.tokens++;
        begin = tokenBegin(content, tokenEnd(content, begin, length), length);
      }
      for (const plan of this.plans) {
        forEachCandidate(plan, this.archive, messages, () => {
          counters.candidates++;
        });
      }
    });
    return { ...counters, decoded_lines: counters.lines };
  }

  decoded({ types, values, ended }) {
    let at = 0;
    const lines = types.map((id) => {
      const type = this.archive.logTypes[id];
      const line = this.archive.decode(type, values, at);
      at += type.kinds.length;
      return line;
    });
    return lines.join('\n') + (ended ? '\n' : '');
  }
}
