// The search for one query in the index.

import { counts } from './counts.js';
import { isPartOf } from './query.js';
import { NUMBER_PLACEHOLDER, PLACEHOLDERS, VARIABLE_PLACEHOLDER } from './tokens.js';

export class Plan {
  constructor(query, archive) {
    this.query = query;
    this.archive = archive;
    this.wanted = [];
    for (const type of archive.types) {
      counts.scanned++; // tick
      this.wanted.push(matches(type, query.fragments));
    }
    this.conditions = [];
    for (const code of query.numbers) {
      this.conditions.push({ kind: NUMBER_PLACEHOLDER, values: new Set([code]) });
    }
    for (const text of query.variables) {
      const known = archive.variableIds.get(text);
      const values = new Set(known === undefined ? [] : [known]);
      this.conditions.push({ kind: VARIABLE_PLACEHOLDER, values });
    }
    for (const part of query.parts) {
      const values = new Set();
      archive.variables.forEach((text, id) => {
        counts.scanned++; // tick
        if (isPartOf(part, text)) values.add(id);
      });
      this.conditions.push({ kind: VARIABLE_PLACEHOLDER, values });
    }
  }

  search(messages, found) {
    for (const message of messages) {
      if (!this.wanted[message.type] || !this.isFulfilled(message)) continue;
      counts.candidates++; // tick
      const line = this.archive.decode(message);
      if (matches(line, this.query.pieces)) {
        counts.matches++; // tick
        found.push(line);
      }
    }
  }

  isFulfilled({ type, values }) {
    if (this.conditions.length === 0) return true;
    const kinds = this.archive.types[type].match(PLACEHOLDERS) || [];
    return this.conditions.every((condition) =>
      kinds.some((kind, slot) => kind === condition.kind && condition.values.has(values[slot])),
    );
  }
}

function matches(text, pieces) {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return true;
}
