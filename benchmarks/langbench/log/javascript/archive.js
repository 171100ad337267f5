// Encoded logs: two dictionaries and the messages of every file.

import { counts } from './counts.js';
import {
  copied,
  isVariable,
  NOT_A_NUMBER,
  NUMBER_PLACEHOLDER,
  numberCode,
  numberText,
  PLACEHOLDERS,
  tokenBegin,
  tokenEnd,
  VARIABLE_PLACEHOLDER,
} from './tokens.js';

/** Texts with ids from 0 on, in the order of their first appearance. */
export class Dictionary {
  /** With these texts to begin with, whose ids are their places. `made` entries are to be told. */
  constructor({ texts, made } = { texts: [], made: 0 }) {
    this.ids = new Map(texts.map((text, id) => [text, id]));
    this.texts = texts;
    this.made = made;
  }

  /** The dictionary itself, or the one that a thread sent as plain data. */
  static of(given) {
    return given instanceof Dictionary ? given : new Dictionary(given);
  }

  /** The texts, and how many entries were made since the last call, if they are counted. */
  taken() {
    const { texts, made } = this;
    this.made = 0;
    return { texts, made };
  }

  /** The id of the text, which is entered if it is new. */
  id(text) {
    const known = this.ids.get(text);
    return known === undefined ? this.add(copied(text)) : known;
  }

  add(text) {
    const next = this.texts.length;
    this.made++; // tick
    this.ids.set(text, next);
    this.texts.push(text);
    return next;
  }

  /** Enters another's texts in their order, and tells their ids. */
  enter(texts) {
    return texts.map((text) => {
      const known = this.ids.get(text);
      return known === undefined ? this.add(text) : known;
    });
  }
}

/** The place of the line feed that ends the line, or the end of the content. */
export function lineEnd(content, begin) {
  const feed = content.indexOf('\n', begin);
  return feed < 0 ? content.length : feed;
}

/** Encodes the files of one worker into dictionaries of its own. */
export class Parser {
  constructor() {
    this.types = new Dictionary();
    this.variables = new Dictionary();
    this.files = []; // of each, the types of its lines and the values of all their variables
  }

  parse(content) {
    const messages = { types: [], values: [], ended: content.endsWith('\n') };
    for (let begin = 0; begin < content.length; ) {
      const end = lineEnd(content, begin);
      counts.lines++; // tick
      this.parseLine(content, begin, end, messages);
      begin = end + 1;
    }
    this.files.push(messages);
  }

  parseLine(text, begin, end, { types, values }) {
    let type = '';
    let done = begin;
    let tokenAt = tokenBegin(text, begin, end);
    while (tokenAt < end) {
      counts.tokens++; // tick
      const behind = tokenEnd(text, tokenAt, end);
      if (isVariable(text, tokenAt, behind)) {
        type += text.slice(done, tokenAt);
        done = behind;
        const code = numberCode(text, tokenAt, behind);
        if (code !== NOT_A_NUMBER) {
          type += NUMBER_PLACEHOLDER;
          counts.numbers++; // tick
          values.push(code);
        } else {
          type += VARIABLE_PLACEHOLDER;
          counts.references++; // tick
          values.push(this.variables.id(text.slice(tokenAt, behind)));
        }
      }
      tokenAt = tokenBegin(text, behind, end);
    }
    types.push(this.types.id(type + text.slice(done, end)));
  }
}

/** A line without its variables, cut at their placeholders. */
export class LogType {
  constructor(text) {
    this.text = text;
    this.statics = text.split(PLACEHOLDERS);
    this.kinds = [...text].filter((character) => PLACEHOLDERS.test(character));
  }
}

/** The dictionaries that the encoded files of all workers have in common. */
export class Archive {
  constructor(types, variables) {
    this.logTypes = types.map((text) => new LogType(text));
    this.variables = variables;
  }

  /** Gives messages the common ids, which `own` tells by the worker's own. */
  renumber({ types, values }, own) {
    let at = 0;
    for (let index = 0; index < types.length; index++) {
      types[index] = own.types[types[index]];
      for (const kind of this.logTypes[types[index]].kinds) {
        if (kind === VARIABLE_PLACEHOLDER) values[at] = own.variables[values[at]];
        at++;
      }
    }
  }

  /** The line of a message, whose values stand from there on. */
  decode({ statics, kinds }, values, at) {
    let line = statics[0];
    for (let slot = 0; slot < kinds.length; slot++) {
      const value = values[at + slot];
      line += kinds[slot] === NUMBER_PLACEHOLDER ? numberText(value) : this.variables[value];
      line += statics[slot + 1];
    }
    return line;
  }
}
