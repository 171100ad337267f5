// Queries: what a line must hold, and how the index finds it.

import { counts } from './counts.js';
import {
  isVariable,
  NOT_A_NUMBER,
  NUMBER_PLACEHOLDER,
  numberCode,
  tokenBegin,
  tokenEnd,
  VARIABLE_PLACEHOLDER,
} from './tokens.js';

const SPECIAL = /[\\^$.|?+()[\]{}]/g;
const PART_OF_NUMBER = /^[-0-9.]+$/;

/** Tells whether the text holds all pieces, in order and without overlap. */
export function matches(text, pieces) {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}

/** Tells whether the part of a variable, as a query has it, is part of this one. */
function isPartOf({ text, begins, ends }, variable) {
  if (begins) return variable.startsWith(text);
  if (ends) return variable.endsWith(text);
  return variable.includes(text);
}

/** A query, cut into what the index knows. */
export class Query {
  constructor(text) {
    this.pieces = text.split('*').filter(Boolean);
    this.fragments = [];
    this.numbers = [];
    this.variables = [];
    this.parts = []; // tokens that are not whole, but surely part of a variable of the dictionary
    for (const piece of this.pieces) this.cut(piece);
  }

  /** The regular expression that finds the query in a line. */
  expression() {
    return new RegExp(this.pieces.map((piece) => piece.replace(SPECIAL, '\\$&')).join('[^\\n]*'));
  }

  cut(piece) {
    const { length } = piece;
    let fragment = '';
    let done = 0;
    let begin = tokenBegin(piece, 0, length);
    while (begin < length) {
      const end = tokenEnd(piece, begin, length);
      fragment += piece.slice(done, begin);
      done = end;
      if (begin > 0 && end < length) {
        fragment += this.whole(piece, begin, end);
      } else {
        this.end(fragment);
        fragment = '';
        this.addPart(piece, begin, end);
      }
      begin = tokenBegin(piece, end, length);
    }
    this.end(fragment + piece.slice(done));
  }

  end(fragment) {
    if (fragment !== '') this.fragments.push(fragment);
  }

  /** Notes a token between delimiters, and gives what stands for it in a log type. */
  whole(piece, begin, end) {
    const text = piece.slice(begin, end);
    if (!isVariable(piece, begin, end)) return text;
    const code = numberCode(piece, begin, end);
    if (code !== NOT_A_NUMBER) {
      this.numbers.push(code);
      return NUMBER_PLACEHOLDER;
    }
    this.variables.push(text);
    return VARIABLE_PLACEHOLDER;
  }

  addPart(piece, begin, end) {
    const text = piece.slice(begin, end);
    if (isVariable(piece, begin, end) && !PART_OF_NUMBER.test(text)) {
      this.parts.push({ text, begins: begin > 0, ends: end < piece.length });
    }
  }
}

/** What a message must have to be a candidate of a query: plain data, which a worker can be sent. */
export class Plan {
  constructor(query, { logTypes, variables }, variableIds) {
    this.pieces = query.pieces;
    this.wanted = logTypes.map(({ text }) => {
      counts.scanned++; // tick
      return matches(text, query.fragments);
    });
    this.conditions = query.numbers.map((code) => ({
      kind: NUMBER_PLACEHOLDER,
      values: new Set([code]),
    }));
    for (const text of query.variables) {
      const id = variableIds.get(text);
      const values = new Set(id === undefined ? [] : [id]);
      this.conditions.push({ kind: VARIABLE_PLACEHOLDER, values });
    }
    for (const part of query.parts) {
      const values = new Set();
      variables.forEach((variable, id) => {
        counts.scanned++; // tick
        if (isPartOf(part, variable)) values.add(id);
      });
      this.conditions.push({ kind: VARIABLE_PLACEHOLDER, values });
    }
  }
}

/** Tells whether one of a message's variables is of this kind and has one of these values. */
function holds(condition, kinds, values, at) {
  for (let slot = 0; slot < kinds.length; slot++) {
    if (kinds[slot] === condition.kind && condition.values.has(values[at + slot])) return true;
  }
  return false;
}

/** Visits the messages of a file whose type is wanted and whose variables fulfil the conditions. */
export function forEachCandidate({ wanted, conditions }, { logTypes }, { types, values }, visit) {
  let at = 0;
  for (const id of types) {
    const type = logTypes[id];
    const { kinds } = type;
    if (wanted[id]) {
      let fulfilled = true;
      for (const condition of conditions) {
        fulfilled = fulfilled && holds(condition, kinds, values, at);
      }
      if (fulfilled) visit(type, at);
    }
    at += kinds.length;
  }
}
