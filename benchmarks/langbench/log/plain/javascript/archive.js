// What the files hold, encoded: two dictionaries, and the messages of each file.

import { counts } from './counts.js';
import { linesOf } from './folder.js';
import {
  isVariable,
  NUMBER_PLACEHOLDER,
  numberCode,
  numberText,
  PLACEHOLDERS,
  TOKEN,
  VARIABLE_PLACEHOLDER,
} from './tokens.js';

export class Archive {
  constructor() {
    this.types = [];
    this.typeIds = new Map();
    this.variables = [];
    this.variableIds = new Map();
    this.files = [];
  }

  typeId(text) {
    const known = this.typeIds.get(text);
    if (known !== undefined) return known;
    counts.log_types++; // tick
    this.typeIds.set(text, this.types.length);
    return this.types.push(text) - 1;
  }

  variableId(text) {
    const known = this.variableIds.get(text);
    if (known !== undefined) return known;
    counts.variables++; // tick
    this.variableIds.set(text, this.variables.length);
    return this.variables.push(text) - 1;
  }

  parse(content) {
    const messages = [];
    for (const line of linesOf(content)) {
      counts.lines++; // tick
      const values = [];
      const type = line.replace(TOKEN, (token, begin) => {
        counts.tokens++; // tick
        if (!isVariable(line, begin, token)) return token;
        const code = numberCode(token);
        if (code !== undefined) {
          counts.numbers++; // tick
          values.push(code);
          return NUMBER_PLACEHOLDER;
        }
        counts.references++; // tick
        values.push(this.variableId(token));
        return VARIABLE_PLACEHOLDER;
      });
      messages.push({ type: this.typeId(type), values });
    }
    this.files.push(messages);
  }

  decode({ type, values }) {
    let slot = 0;
    return this.types[type].replace(PLACEHOLDERS, (placeholder) => {
      const value = values[slot++];
      return placeholder === NUMBER_PLACEHOLDER ? numberText(value) : this.variables[value];
    });
  }
}
