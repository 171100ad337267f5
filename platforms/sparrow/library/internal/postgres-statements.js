// The prepared statements of one connection, by their texts: a bounded number of names.

import { Statement } from 'sparrow:internal/postgres-statement';

const MOST = 256;

export class Statements {
  #all = new Map(); // the next to be dropped first

  /** Until PostgreSQL has accepted a statement, others with its text do not depend on that. */
  of(text) {
    const known = this.#all.get(text);
    if (known === undefined) return this.#named(this.#freeName(), text);
    known.used = true;
    return known.ready || !known.parsed ? known : new Statement('', text);
  }

  /** The statement is prepared anew, under its name, when it is asked for again. */
  renew(statement) {
    const { name, text } = statement;
    if (this.#all.get(text) === statement) this.#named(name, text);
  }

  #named(name, text) {
    const statement = new Statement(name, text);
    this.#all.set(text, statement);
    return statement;
  }

  /** A name that is new, or that of a statement without a use since its last turn (CLOCK). */
  #freeName() {
    if (this.#all.size < MOST) return `s${this.#all.size}`;
    for (const [text, statement] of this.#all) {
      this.#all.delete(text);
      if (!statement.used) return statement.name;
      statement.used = false;
      this.#all.set(text, statement); // comes again, behind all others
    }
  }
}
