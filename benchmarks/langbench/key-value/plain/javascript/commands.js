// What each command replies: langbench/key-value/contract.md, "Commands".

import { number } from './requests.js';
import { counts } from './store.js';

const COMMANDS = 13;
const MOST_QUOTED = 128;

export class Commands {
  constructor(store, counting) {
    this.store = store;
    this.counting = counting;
    this.processed = 0;
    this.hits = 0;
    this.misses = 0;
  }

  counters() {
    const { entries, evictions } = this.store;
    const { hits, misses } = this;
    return { ...counts, hits, misses, entries, evictions };
  }

  /** The reply to a request, as a Buffer. */
  reply(words) {
    this.processed++;
    const name = lower(words[0]);
    switch (name) {
      case 'get':
        return words.length === 2 ? this.get(words[1]) : wrongNumber(name);
      case 'set':
        return words.length >= 3 ? this.set(words) : wrongNumber(name);
      case 'del':
        return words.length >= 2 ? this.del(words.slice(1)) : wrongNumber(name);
      case 'exists':
        return words.length >= 2 ? this.exists(words.slice(1)) : wrongNumber(name);
      case 'ping':
        if (words.length > 2) return wrongNumber(name);
        return words.length === 2 ? bulk(words[1]) : simple('PONG');
      case 'dbsize':
        return words.length === 1 ? integer(this.store.entries) : wrongNumber(name);
      case 'flushall':
        if (words.length > 1) return error('ERR syntax error');
        this.store.clear();
        return simple('OK');
      case 'select':
        return words.length === 2 ? select(words[1]) : wrongNumber(name);
      case 'info':
        return bulk(Buffer.from(this.info()));
      case 'config':
        return words.length >= 2 ? config(words) : wrongNumber(name);
      case 'command':
        return command(words);
      case 'debug':
        return words.length >= 2 ? this.debug(words) : wrongNumber(name);
      case 'quit':
        return simple('OK');
      default:
        return unknown(words);
    }
  }

  get(key) {
    counts.gets++; // tick
    const value = this.store.get(key);
    if (value === null) {
      this.misses++;
      return Buffer.from('$-1\r\n');
    }
    this.hits++;
    return bulk(value);
  }

  set(words) {
    if (words.length > 3) return error('ERR syntax error');
    if (!this.store.set(words[1], words[2])) {
      return error("OOM command not allowed when used memory > 'maxmemory'.");
    }
    counts.sets++; // tick
    return simple('OK');
  }

  del(keys) {
    let removed = 0;
    for (const key of keys) {
      if (this.store.remove(key)) removed++;
    }
    return integer(removed);
  }

  exists(keys) {
    let there = 0;
    for (const key of keys) {
      if (this.store.get(key) !== null) there++;
    }
    return integer(there);
  }

  info() {
    const { rows, capacity, entries, evictions } = this.store;
    let text = '# Server\r\nredis_version:0.0.0\r\nserver_name:runfair-key-value\r\n';
    text += `language:javascript\r\nrows:${rows.length}\r\ncapacity_bytes:${capacity}\r\n\r\n`;
    text += `# Stats\r\ntotal_commands_processed:${this.processed}\r\n`;
    text += `keyspace_hits:${this.hits}\r\nkeyspace_misses:${this.misses}\r\n`;
    text += `evicted_keys:${evictions}\r\n\r\n`;
    if (this.counting) {
      text += '# Runfair\r\n';
      const counters = this.counters();
      for (const name of Object.keys(counters)) text += `${name}:${counters[name]}\r\n`;
      text += '\r\n';
    }
    text += '# Keyspace\r\n';
    return entries > 0 ? `${text}db0:keys=${entries},expires=0,avg_ttl=0\r\n` : text;
  }

  debug(words) {
    if (lower(words[1]) !== 'digest') return unknownSubcommand('DEBUG', words[1]);
    return words.length === 2 ? simple(this.store.digest()) : wrongNumber('debug|digest');
  }
}

function select(word) {
  const index = number(word.toString('latin1'));
  if (Number.isNaN(index)) return error('ERR value is not an integer or out of range');
  return index === 0 ? simple('OK') : error('ERR DB index is out of range');
}

function config(words) {
  if (lower(words[1]) !== 'get') return unknownSubcommand('CONFIG', words[1]);
  if (words.length < 3) return wrongNumber('config|get');
  const asked = words.slice(2).map(lower);
  let found = 0;
  let text = '';
  for (const [name, value] of [
    ['save', ''],
    ['appendonly', 'no'],
  ]) {
    if (asked.includes(name) || asked.includes('*')) {
      found += 2;
      text += `$${name.length}\r\n${name}\r\n$${value.length}\r\n${value}\r\n`;
    }
  }
  return Buffer.from(`*${found}\r\n${text}`);
}

function command(words) {
  if (words.length === 1 || lower(words[1]) === 'docs') return Buffer.from('*0\r\n');
  if (lower(words[1]) !== 'count') return unknownSubcommand('COMMAND', words[1]);
  return words.length === 2 ? integer(COMMANDS) : wrongNumber('command|count');
}

function wrongNumber(name) {
  return error(`ERR wrong number of arguments for '${name}' command`);
}

function unknownSubcommand(name, word) {
  const quoted = word.toString('latin1', 0, MOST_QUOTED);
  return error(`ERR unknown subcommand '${quoted}'. Try ${name} HELP.`);
}

function unknown(words) {
  let quoted = '';
  for (const word of words.slice(1)) {
    if (quoted.length >= MOST_QUOTED) break;
    quoted += `'${word.toString('latin1', 0, MOST_QUOTED - quoted.length)}' `;
  }
  const name = words[0].toString('latin1', 0, MOST_QUOTED);
  return error(`ERR unknown command '${name}', with args beginning with: ${quoted}`);
}

export function error(text) {
  return Buffer.from(`-${text.replace(/[\r\n]/g, ' ')}\r\n`, 'latin1');
}

function simple(text) {
  return Buffer.from(`+${text}\r\n`);
}

function integer(value) {
  return Buffer.from(`:${value}\r\n`);
}

function bulk(value) {
  return Buffer.concat([Buffer.from(`$${value.length}\r\n`), value, Buffer.from('\r\n')]);
}

export function lower(word) {
  return word.toString('latin1').toLowerCase();
}
