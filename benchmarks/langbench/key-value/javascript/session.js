// What each command answers.

import * as replies from './replies.js';
import { number } from './requests.js';

const MOST_QUOTED_BYTES = 128;
const SETTINGS = [
  ['save', ''],
  ['appendonly', 'no'],
];

/** What the commands of one connection have to do with. */
export class Session {
  constructor(store, statistics, counting) {
    this.store = store;
    this.statistics = statistics;
    this.counting = counting;
    this.open = true;
  }

  /** The reply to a request. */
  answer(words) {
    this.statistics.commands++;
    const name = lower(words[0]);
    const command = COMMANDS.get(name);
    if (command === undefined) return unknown(words);
    if (words.length < command.least || words.length > command.most) return wrongNumber(name);
    return command.carryOut(this, words);
  }
}

/** How many words each takes, its name among them, and what it does. */
const COMMANDS = new Map([
  ['get', { carryOut: get, least: 2, most: 2 }],
  ['set', { carryOut: set, least: 3, most: Infinity }],
  ['del', { carryOut: del, least: 2, most: Infinity }],
  ['exists', { carryOut: exists, least: 2, most: Infinity }],
  ['ping', { carryOut: ping, least: 1, most: 2 }],
  ['dbsize', { carryOut: dbsize, least: 1, most: 1 }],
  ['flushall', { carryOut: flushall, least: 1, most: Infinity }],
  ['select', { carryOut: select, least: 2, most: 2 }],
  ['info', { carryOut: info, least: 1, most: Infinity }],
  ['config', { carryOut: config, least: 2, most: Infinity }],
  ['command', { carryOut: command, least: 1, most: Infinity }],
  ['debug', { carryOut: debug, least: 2, most: Infinity }],
  ['quit', { carryOut: quit, least: 1, most: Infinity }],
]);

function get({ store, statistics }, [, key]) {
  statistics.gets++; // tick
  const value = store.get(key, statistics);
  if (value === undefined) {
    statistics.misses++;
    return replies.NULL;
  }
  statistics.hits++;
  return replies.bulk(value);
}

function set({ store, statistics }, [, key, value, ...options]) {
  if (options.length > 0) return replies.error('ERR syntax error');
  if (!store.set(key, value, statistics)) {
    return replies.error("OOM command not allowed when used memory > 'maxmemory'.");
  }
  statistics.sets++; // tick
  return replies.OK;
}

function del({ store, statistics }, [, ...keys]) {
  return replies.integer(keys.filter((key) => store.remove(key, statistics)).length);
}

function exists({ store, statistics }, [, ...keys]) {
  return replies.integer(keys.filter((key) => store.get(key, statistics) !== undefined).length);
}

function ping(_session, words) {
  return words.length === 1 ? replies.simple('PONG') : replies.bulk(words[1]);
}

function dbsize({ store }) {
  return replies.integer(store.entries());
}

function flushall({ store }, words) {
  if (words.length > 1) return replies.error('ERR syntax error');
  store.clear();
  return replies.OK;
}

function select(_session, [, written]) {
  const index = number(written);
  if (index === undefined) return replies.error('ERR value is not an integer or out of range');
  return index === 0 ? replies.OK : replies.error('ERR DB index is out of range');
}

function info({ store, statistics, counting }) {
  const entries = store.entries();
  const lines = [
    '# Server',
    'redis_version:0.0.0',
    'server_name:runfair-key-value',
    'language:javascript',
    `rows:${store.rows.length}`,
    `capacity_bytes:${store.capacityBytes}`,
    '',
    '# Stats',
    `total_commands_processed:${statistics.commands}`,
    `keyspace_hits:${statistics.hits}`,
    `keyspace_misses:${statistics.misses}`,
    `evicted_keys:${statistics.evictions}`,
    '',
  ];
  if (counting) {
    const counters = Object.entries(statistics.counters(entries));
    lines.push('# Runfair', ...counters.map(([name, value]) => `${name}:${value}`), '');
  }
  lines.push('# Keyspace');
  if (entries > 0) lines.push(`db0:keys=${entries},expires=0,avg_ttl=0`);
  return replies.bulk(`${lines.join('\r\n')}\r\n`);
}

function config(_session, [, subcommand, ...names]) {
  if (lower(subcommand) !== 'get') return unknownSubcommand('CONFIG', subcommand);
  if (names.length === 0) return wrongNumber('config|get');
  const asked = new Set(names.map(lower));
  const told = SETTINGS.filter(([name]) => asked.has(name) || asked.has('*'));
  return replies.array(told.flat());
}

function command(_session, words) {
  if (words.length === 1 || lower(words[1]) === 'docs') return replies.array([]);
  if (lower(words[1]) !== 'count') return unknownSubcommand('COMMAND', words[1]);
  return words.length === 2 ? replies.integer(COMMANDS.size) : wrongNumber('command|count');
}

function debug({ store }, words) {
  if (lower(words[1]) !== 'digest') return unknownSubcommand('DEBUG', words[1]);
  return words.length === 2 ? replies.simple(store.digest()) : wrongNumber('debug|digest');
}

function quit(session) {
  session.open = false;
  return replies.OK;
}

function wrongNumber(name) {
  return replies.error(`ERR wrong number of arguments for '${name}' command`);
}

function unknownSubcommand(name, word) {
  const quoted = word.slice(0, MOST_QUOTED_BYTES);
  return replies.error(`ERR unknown subcommand '${quoted}'. Try ${name} HELP.`);
}

function unknown([name, ...words]) {
  let quoted = '';
  for (const word of words) {
    if (quoted.length >= MOST_QUOTED_BYTES) break;
    quoted += `'${word.slice(0, MOST_QUOTED_BYTES - quoted.length)}' `;
  }
  const cut = name.slice(0, MOST_QUOTED_BYTES);
  return replies.error(`ERR unknown command '${cut}', with args beginning with: ${quoted}`);
}

/** Of the characters that are bytes, none but ASCII's own letters becomes one of these. */
function lower(word) {
  return word.toLowerCase();
}
