// One connection to PostgreSQL: queries follow one another without waiting, each with a Sync of its
// own, so that one that fails takes no other with it.

import { bytesOf, isBytes, joined } from 'sparrow:internal/bytes';
import { Scram } from 'sparrow:internal/postgres-scram';
import { BINARY, TEXT } from 'sparrow:internal/postgres-statement';
import { Statements } from 'sparrow:internal/postgres-statements';
import { encrypted } from 'sparrow:internal/postgres-tls';
import { at32, encoded } from 'sparrow:internal/postgres-types';
import { Writer } from 'sparrow:internal/postgres-writer';
import { atTurnEnd } from 'sparrow:internal/turn';
import native from 'sparrow:native';
import { connect } from 'sparrow:tcp';

const code = (letter) => letter.charCodeAt(0);
export const COMMIT = 'COMMIT';
const PROTOCOL = 196608;
const CANCEL = 80877102;
const HEADER = 5;
const ROLLBACK = code('R'); // what the tag of a COMMIT then begins with
const MOST_PARAMETERS = 65535;
const SMALL = 1e9; // numbers below are written without making a string
const FIELDS = { S: 'severity', C: 'code', M: 'message', D: 'detail', H: 'hint', P: 'position' };

/**
 * Errors of a statement that was prepared before something changed: the type of its result, or the
 * session, which has forgotten it. It is prepared anew.
 */
const OUTDATED = new Set(['0A000', '26000']);

/** What PostgreSQL has against a query: `code` is the SQLSTATE. */
export class PostgresError extends Error {
  constructor(fields) {
    super(fields.message);
    Object.assign(this, fields);
  }
}

/** What a query's rows and its outcome are given to. */
class Query {
  constructor(statement, resolve, reject) {
    this.statement = statement;
    this.row = statement.formats.length > 0 ? statement.row : undefined; // undefined: text
    this.rows = [];
    this.error = undefined;
    this.resolve = resolve;
    this.reject = reject;
  }
}

export class PostgresConnection {
  reserved = false; // for a transaction
  lost = undefined; // why it is no longer there
  onlost = () => {};
  #socket;
  #writer = new Writer();
  #rest = undefined; // the beginning of a message whose end has not arrived
  #statements = new Statements();
  #queue = [];
  #first = 0; // of the queue
  #flushes = false;
  #login;
  #key = undefined; // with which the server cancels a query
  #ready = Promise.withResolvers();
  #options;
  #closing = false;

  /** A connection that is logged in. */
  static async open(options) {
    const connection = new PostgresConnection();
    connection.#options = options;
    const { host, port, connectMs } = options;
    const late = setTimeout(() => {
      connection.lose(
        new Error(`the login to PostgreSQL at ${host}:${port} took longer than ${connectMs} ms`),
      );
    }, connectMs);
    try {
      await connection.#use(connect(host, port));
      await connection.#use(encrypted(connection.#socket, options));
      connection.#start();
      await connection.#ready.promise;
    } finally {
      clearTimeout(late);
    }
    connection.#socket.hold(false);
    return connection;
  }

  /** Asks the server to end the query under way. The promise is kept when the server has been told. */
  async cancel() {
    const { host, port } = this.#options;
    const socket = await encrypted(await connect(host, port), this.#options);
    const told = Promise.withResolvers();
    socket.onend = told.resolve;
    socket.onerror = told.resolve; // the server closes without a word
    const writer = new Writer();
    const begun = writer.begin(0);
    writer.int32(CANCEL);
    for (const byte of this.#key) writer.byte(byte);
    writer.end(begun);
    socket.write(writer.bytes, 0, writer.at);
    await told.promise;
    socket.close();
  }

  /** How many queries have no answer yet. */
  get busy() {
    return this.#queue.length - this.#first;
  }

  /** Whether queries wait for the end of the turn. */
  get unsent() {
    return this.#writer.at > 0;
  }

  /** The rows that a statement gives; `values` are its parameters. */
  query(text, values = []) {
    return new Promise((resolve, reject) => {
      if (this.lost) return reject(this.lost);
      if (values.length > MOST_PARAMETERS) {
        return reject(new RangeError(`a query can have at most ${MOST_PARAMETERS} values`));
      }
      const statement = this.#statements.of(text);
      const query = new Query(statement, resolve, reject);
      const begun = this.#writer.at;
      try {
        this.#write(statement, values);
      } catch (error) {
        this.#writer.at = begun;
        return reject(error);
      }
      statement.parsed = true;
      if (this.busy === 0) this.#socket.hold(true);
      this.#queue.push(query);
      this.#flushLater();
    });
  }

  close() {
    this.#closing = true;
    if (this.lost) return;
    const writer = this.#writer;
    writer.end(writer.begin(code('X')));
    this.#flush();
    this.lose(new Error('the connection to PostgreSQL was closed'));
  }

  async #use(opening) {
    opening.then((socket) => this.lost && socket.close()).catch(() => {});
    this.#socket = await Promise.race([opening, this.#ready.promise]);
  }

  #start() {
    this.#socket.ondata = (bytes) => this.#receive(bytes);
    this.#socket.onend = () => this.lose(new Error('PostgreSQL closed the connection'));
    this.#socket.onerror = (error) => this.lose(error);
    const writer = this.#writer;
    const begun = writer.begin(0);
    writer.int32(PROTOCOL);
    const { user, database, queryMs } = this.#options;
    const settings = { user, database, client_encoding: 'UTF8' };
    if (queryMs !== undefined) settings.statement_timeout = String(queryMs);
    for (const words of Object.entries(settings)) for (const word of words) writer.string(word);
    writer.byte(0);
    writer.end(begun);
    this.#flush();
  }

  #write(statement, values) {
    const writer = this.#writer;
    if (!statement.parsed) {
      this.#name(code('C'), statement); // another may have had its name
      const parse = writer.begin(code('P'));
      writer.string(statement.name);
      writer.string(statement.text);
      writer.int16(0);
      writer.end(parse);
      this.#name(code('D'), statement);
    }
    const bind = writer.begin(66); // B
    writer.byte(0);
    writer.string(statement.name);
    if (values.some(isBytes)) {
      writer.int16(values.length);
      for (const value of values) writer.int16(isBytes(value) ? BINARY : TEXT);
    } else writer.int16(0);
    writer.int16(values.length);
    for (let i = 0; i < values.length; i++) this.#parameter(values[i]);
    writer.int16(statement.formats.length);
    for (let i = 0; i < statement.formats.length; i++) writer.int16(statement.formats[i]);
    writer.end(bind);
    const execute = writer.begin(69); // E
    writer.byte(0);
    writer.int32(0);
    writer.end(execute);
    writer.end(writer.begin(83)); // S, Sync
  }

  /** A message whose content is only the name of a statement: Close or Describe. */
  #name(kind, statement) {
    const begun = this.#writer.begin(kind);
    this.#writer.byte(code('S'));
    this.#writer.string(statement.name);
    this.#writer.end(begun);
  }

  #parameter(value) {
    const writer = this.#writer;
    if (Number.isInteger(value) && value >= 0 && value < SMALL) return writer.sizedNumber(value);
    if (isBytes(value)) {
      const bytes = bytesOf(value);
      writer.int32(bytes.length);
      return writer.raw(bytes);
    }
    const text = encoded(value);
    if (text === null) return writer.int32(-1);
    writer.sized(text);
  }

  /** All queries of a turn leave in one packet. */
  #flushLater() {
    if (this.#flushes) return;
    this.#flushes = true;
    atTurnEnd(() => {
      this.#flushes = false;
      this.#flush();
    });
  }

  #flush() {
    const writer = this.#writer;
    if (writer.at > 0 && !this.lost) this.#socket.write(writer.bytes, 0, writer.at);
    writer.at = 0;
  }

  #receive(arrived) {
    const bytes = this.#rest === undefined ? arrived : joined([this.#rest, arrived]);
    this.#rest = undefined;
    let at = 0;
    while (!this.lost && at + HEADER <= bytes.length) {
      const size = at32(bytes, at + 1);
      if (at + 1 + size > bytes.length) break;
      this.#message(bytes[at], bytes, at + HEADER, at + 1 + size);
      at += 1 + size;
    }
    if (at < bytes.length) this.#rest = bytes.slice(at);
  }

  #message(kind, bytes, at, end) {
    const query = this.#queue[this.#first];
    switch (kind) {
      case 68: // D, DataRow
        query.rows.push((query.row ?? query.statement.textRow)(bytes, at + 2));
        return;
      case 90: // Z, ReadyForQuery
        return query === undefined ? this.#ready.resolve() : this.#done(query);
      case 84: // T, RowDescription
        return query.statement.describe(bytes, at, native.decode);
      case 49: // 1, ParseComplete
        query.statement.ready = true;
        return;
      case 69: // E, ErrorResponse
        return this.#refused(query, new PostgresError(fieldsOf(bytes, at, end)));
      case 82: // R, Authentication
        return this.#authenticate(bytes, at, end);
      case 75: // K, BackendKeyData
        this.#key = bytes.slice(at, end);
        return;
      case 67: // C, CommandComplete
        if (bytes[at] === ROLLBACK && query.statement.text === COMMIT) {
          query.error = new Error('the transaction was rolled back, because a query in it failed');
        }
        return;
      case 71: // G, CopyInResponse: the messages of the next queries would be taken for data
        return this.lose(new Error('COPY FROM STDIN is not supported: the connection is closed'));
      case 72: // H, CopyOutResponse
        query.error = new Error('COPY TO STDOUT is not supported');
        return;
      default: // notices, parameters of the session
        return;
    }
  }

  #done(query) {
    this.#first++;
    if (this.#first === this.#queue.length) {
      this.#queue.length = this.#first = 0;
      this.#socket.hold(false);
    } else if (this.#first > 1024) {
      this.#queue.splice(0, this.#first);
      this.#first = 0;
    }
    if (query.error) query.reject(query.error);
    else query.resolve(query.rows);
  }

  #refused(query, error) {
    if (query === undefined) return this.lose(error);
    query.error = error;
    const { statement } = query;
    if (!statement.ready || OUTDATED.has(error.code)) this.#statements.renew(statement);
  }

  #authenticate(bytes, at, end) {
    const kind = at32(bytes, at);
    const rest = () => native.decode(bytes, at + 4, end);
    try {
      if (kind === 0) return this.#login?.end();
      if (kind === 3) return this.#answer((writer) => writer.string(this.#options.password));
      if (kind === 10) return this.#beginScram(rest());
      if (kind === 11) return this.#answer((writer) => writer.text(this.#login.proof(rest())));
      if (kind === 12) return this.#login.check(rest());
      throw new Error(
        `PostgreSQL asks for a way to log in that sparrow does not support (${kind})`,
      );
    } catch (error) {
      this.lose(error);
    }
  }

  #beginScram(mechanisms) {
    const { serverEndPoint } = this.#socket;
    this.#login = new Scram(this.#options.password, mechanisms.split('\0'), serverEndPoint);
    this.#answer((writer) => {
      writer.string(this.#login.mechanism);
      writer.sized(this.#login.first());
    });
  }

  #answer(write) {
    const begun = this.#writer.begin(code('p'));
    write(this.#writer);
    this.#writer.end(begun);
    this.#flush();
  }

  /** Gives the connection up: its queries fail with this error. */
  lose(error) {
    if (this.lost) return;
    this.lost = error;
    this.#socket?.close();
    this.#ready.reject(error);
    const waiting = this.#queue.slice(this.#first);
    this.#queue.length = this.#first = 0;
    for (const query of waiting) query.reject(query.error ?? error);
    if (!this.#closing) this.onlost();
  }
}

function fieldsOf(bytes, from, end) {
  const fields = {};
  for (let at = from; at < end && bytes[at] !== 0; ) {
    const stop = bytes.indexOf(0, at);
    const name = FIELDS[String.fromCharCode(bytes[at])];
    if (name) fields[name] = native.decode(bytes, at + 1, stop);
    at = stop + 1;
  }
  return fields;
}
