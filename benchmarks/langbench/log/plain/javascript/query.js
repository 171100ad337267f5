// Queries, cut at their asterisks and at tokens that are not whole.

import {
  isVariable,
  NUMBER_PLACEHOLDER,
  numberCode,
  TOKEN,
  VARIABLE_PLACEHOLDER,
} from './tokens.js';

// A token of the query that is not whole, but surely part of a variable.
export function isPartOf({ text, begins, ends }, variable) {
  if (begins) return variable.startsWith(text);
  if (ends) return variable.endsWith(text);
  return variable.includes(text);
}

export class Query {
  constructor(text) {
    this.pieces = text.split('*').filter(Boolean);
    this.fragments = [];
    this.numbers = [];
    this.variables = [];
    this.parts = [];
    for (const piece of this.pieces) this.cut(piece);
  }

  cut(piece) {
    let fragment = '';
    let done = 0;
    piece.replace(TOKEN, (token, begin) => {
      fragment += piece.slice(done, begin);
      done = begin + token.length;
      if (begin > 0 && done < piece.length) {
        fragment += this.whole(piece, begin, token);
      } else {
        this.end(fragment);
        fragment = '';
        this.part(piece, begin, token);
      }
      return token;
    });
    this.end(fragment + piece.slice(done));
  }

  end(fragment) {
    if (fragment !== '') this.fragments.push(fragment);
  }

  whole(piece, begin, token) {
    if (!isVariable(piece, begin, token)) return token;
    const code = numberCode(token);
    if (code !== undefined) {
      this.numbers.push(code);
      return NUMBER_PLACEHOLDER;
    }
    this.variables.push(token);
    return VARIABLE_PLACEHOLDER;
  }

  part(piece, begin, text) {
    if (/^[0-9.-]+$/.test(text) || !isVariable(piece, begin, text)) return;
    this.parts.push({ text, begins: begin > 0, ends: begin + text.length < piece.length });
  }

  expression() {
    const escaped = this.pieces.map((piece) => piece.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
    return new RegExp(escaped.join('[^\\n]*'));
  }
}
