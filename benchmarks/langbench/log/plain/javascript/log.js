// The contract's pseudocode over strings, arrays and Maps, in the JavaScript of 2017:
// langbench/log/contract.md. A byte is a character of a string.

import fs from 'fs';
import path from 'path';

import { main, readInput, UsageError } from '../../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../../harness/javascript/primitives.js';

const VARIABLE_PLACEHOLDER = '\x11';
const NUMBER_PLACEHOLDER = '\x12';
const EITHER = VARIABLE_PLACEHOLDER + NUMBER_PLACEHOLDER;
const TOKEN = new RegExp(`[A-Za-z0-9+./_\\\\\u0080-\u00ff${EITHER}-]+`, 'g');
const PLACEHOLDERS = new RegExp(`[${EITHER}]`, 'g');
const SURELY_VARIABLE = new RegExp(`[0-9${EITHER}]`);
const MOST_DIGITS = 13;

const QUERIES = {
  hadoop: [
    '] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ',
    ' container_1445144423722_0001_01_000007 ',
    '[fetcher#7] ',
    ' attempt_*_0001_m_000003_1 is : ',
    'WARN * Slow ReadProcessor * took *77 ms; ack',
    ' ip=/10.0.3.7 cmd=open ',
    'ERROR * Giving up * node-07.cluster.example:8020;',
  ],
  spark: [
    ' spark.ContextCleaner: Started accumulator for stage ',
    ' rdd_42_7 ',
    ' boot = 17, ',
    ' broadcast_1*7_piece0 stored ',
    'Finished task * in stage 12.0 (TID *). 2077 bytes',
    ' ip=/10.0.3.7 cmd=remove ',
    'WARN util.Utils: Lost * retry 3 of 4',
  ],
};

const counts = {
  lines: 0,
  tokens: 0,
  numbers: 0,
  references: 0,
  log_types: 0,
  variables: 0,
  scanned: 0,
  candidates: 0,
  matches: 0,
};

function isVariable(line, begin, token) {
  if (SURELY_VARIABLE.test(token)) return true;
  return begin > 0 && line[begin - 1] === '=' && /[A-Za-z]/.test(token);
}

// Codes are below 2 ** 53, and so exact; bits above the 32nd need arithmetic.
function numberCode(token) {
  const number = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(token);
  if (number === null) return undefined;
  const fraction = number[3] === undefined ? '' : number[3];
  const digits = number[2] + fraction;
  if (digits.length > MOST_DIGITS) return undefined;
  return (Number(digits) * 16 + digits.length) * 32 + fraction.length * 2 + number[1].length;
}

function numberText(code) {
  const count = Math.floor(code / 32) % 16;
  const scale = Math.floor(code / 2) % 16;
  let text = String(Math.floor(code / 512)).padStart(count, '0');
  if (scale > 0) text = `${text.slice(0, count - scale)}.${text.slice(count - scale)}`;
  return code % 2 === 1 ? `-${text}` : text;
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

function linesOf(content) {
  const lines = content.split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  return lines;
}

class Archive {
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

// A token of the query that is not whole, but surely part of a variable.
function isPartOf({ text, begins, ends }, variable) {
  if (begins) return variable.startsWith(text);
  if (ends) return variable.endsWith(text);
  return variable.includes(text);
}

class Query {
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

class Plan {
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

function indexed({ files, queries }) {
  const archive = new Archive();
  for (const file of files) archive.parse(readLog(file));
  const plans = queries.map((query) => new Plan(query, archive));
  const found = plans.map((plan) => {
    const lines = [];
    for (const messages of archive.files) plan.search(messages, lines);
    return lines;
  });
  return { found, archive };
}

function regex({ files, queries }) {
  const expressions = queries.map((query) => query.expression());
  const found = expressions.map((expression) => {
    const lines = [];
    for (const file of files) {
      for (const line of linesOf(readLog(file))) {
        counts.lines++; // tick
        if (expression.test(line)) {
          counts.matches++; // tick
          lines.push(line);
        }
      }
    }
    return lines;
  });
  return { found };
}

function readLog(file) {
  return readInput(file).toString('latin1');
}

function load(options) {
  const own = options.text('queries');
  const texts = own === '' ? QUERIES[options.text('workload')] : readQueries(own);
  const files = logFiles(options.text('input'));
  return { form: options.text('form'), queries: texts.map((text) => new Query(text)), files };
}

function readQueries(file) {
  const named = `queries ${JSON.stringify(file)}`;
  let content = '';
  try {
    content = fs.readFileSync(file, 'latin1');
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    throw new UsageError(`${named} cannot be read; name a file of queries, one a line`);
  }
  const lines = linesOf(content);
  lines.forEach((line, index) => {
    if (!/^[ -~]*$/.test(line)) {
      throw new UsageError(`line ${index + 1} of ${named}: a query is printable ASCII`);
    }
  });
  const queries = lines.filter(Boolean);
  if (queries.length === 0) throw new UsageError(`${named} holds no queries; write one a line`);
  return queries;
}

function logFiles(folder) {
  const named = `input ${JSON.stringify(folder)}`;
  const names = readInput(folder, () => fs.readdirSync(folder)).filter((name) => {
    const file = path.join(folder, name);
    return fs.existsSync(file) && fs.statSync(file).isFile();
  });
  for (const name of names) {
    if (/[\u0080-\uffff]/.test(name)) {
      throw new UsageError(`${named} holds ${JSON.stringify(name)}: rename it to ASCII`);
    }
  }
  if (names.length === 0) throw new UsageError(`${named} holds no files; give a folder of logs`);
  return names.sort().map((name) => path.join(folder, name));
}

function prepare(task) {
  return task;
}

function run(task) {
  return task.form === 'indexed' ? indexed(task) : regex(task);
}

function digest({ found }) {
  const hash = new Fnv1a();
  for (const lines of found) {
    hash.latin1(`${lines.length}\n`);
    for (const line of lines) hash.latin1(`${line}\n`);
  }
  return hash.digest();
}

main({
  name: 'log',
  tier: 'plain',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
