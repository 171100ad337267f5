// A PostgreSQL client: a pool of connections, over which queries are spread.

import { unlessAborted } from 'sparrow:internal/abort';
import { COMMIT, PostgresConnection } from 'sparrow:internal/postgres-connection';
import { optionsOf } from 'sparrow:internal/postgres-url';
import { whole } from 'sparrow:internal/range';

export { PostgresError } from 'sparrow:internal/postgres-connection';

const MOST_CONNECTIONS = 10000;
const MOST_TOGETHER = 64;
const CONNECT_MS = 30000;
const CANCEL_MS = 5000; // after this, a server that does not cancel has lost the connection
const EMPTY = '';

/**
 * A pool of `connections` to the database at `postgresql://USER:PASSWORD@HOST:PORT/NAME`, with TLS
 * as `?sslmode=` says. Throws if it cannot be reached, refuses the login, or has not answered it
 * after `connectMs`. The server ends a query that takes longer than `queryMs`, with the error 57014.
 */
export async function connect(
  url,
  { connections = 10, connectMs = CONNECT_MS, queryMs = undefined } = {},
) {
  const options = { ...optionsOf(url), connectMs, queryMs };
  whole('connections', connections, 1, MOST_CONNECTIONS);
  const open = Array.from({ length: connections }, () => PostgresConnection.open(options));
  const settled = await Promise.allSettled(open);
  const refused = settled.find(({ status }) => status === 'rejected');
  if (refused) {
    for (const { value } of settled) value?.close();
    throw refused.reason;
  }
  return new Pool(
    options,
    settled.map(({ value }) => value),
  );
}

export class Pool {
  #options;
  #connections = [];
  #waiting = []; // for a connection that is not reserved
  #opening = undefined;
  #size;
  #closed = false;
  #current = undefined; // what the queries of this turn go over

  constructor(options, connections) {
    this.#options = options;
    this.#size = connections.length;
    for (const connection of connections) this.#add(connection);
  }

  /**
   * The rows of a statement, which is prepared once a connection; `$1`… are its parameters. A query
   * with a `signal` has a connection to itself; when the signal comes, the server cancels the query.
   */
  query(text, values, { signal } = {}) {
    if (signal) return this.#cancellable(text, values, signal);
    const connection = this.#idlest();
    return connection ? connection.query(text, values) : this.#queryLater(text, values);
  }

  /** What `work(query)` gives: all of its queries take effect, or none if it throws. */
  async transaction(work) {
    const connection = await this.#reserved();
    const query = (text, values) => connection.query(text, values);
    try {
      await query('BEGIN');
      const result = await work(query);
      await query(COMMIT);
      return result;
    } catch (error) {
      await query('ROLLBACK').catch(() => {}); // a connection that was lost has nothing to undo
      throw error;
    } finally {
      this.#giveBack(connection);
    }
  }

  async #cancellable(text, values, signal) {
    const connection = await this.#reservedUnlessAborted(signal);
    let cancelled;
    const abort = () => {
      cancelled = cancelledOf(connection, signal.reason);
    };
    try {
      // What others have asked before is answered.
      await unlessAborted(signal, connection.query(EMPTY));
      signal.throwIfAborted();
      signal.addEventListener('abort', abort);
      return await connection.query(text, values);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', abort);
      await cancelled;
      this.#giveBack(connection);
    }
  }

  /** A connection, unless the signal comes first; a connection that comes later is given back. */
  async #reservedUnlessAborted(signal) {
    signal.throwIfAborted();
    const reserving = this.#reserved();
    try {
      return await unlessAborted(signal, reserving);
    } catch (error) {
      reserving.then((late) => this.#giveBack(late)).catch(() => {});
      throw error;
    }
  }

  async #reserved() {
    const connection = this.#idlest() ?? (await this.#available(true));
    connection.reserved = true;
    return connection;
  }

  /** Those who wait take it: all whose queries go together, up to one who wants it alone. */
  #giveBack(connection) {
    connection.reserved = false;
    while (this.#waiting.length > 0 && !connection.reserved) {
      const { alone, resolve } = this.#waiting.shift();
      // At once: somebody else could ask before who waited goes on.
      if (!connection.lost) connection.reserved = alone;
      resolve(connection.lost ? this.#available(alone) : connection);
    }
  }

  close() {
    this.#closed = true;
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
    for (const { resolve } of this.#waiting.splice(0)) resolve(this.#opened());
  }

  #add(connection) {
    this.#connections.push(connection);
    connection.onlost = () => {
      this.#connections = this.#connections.filter((one) => one !== connection);
    };
  }

  /** A new connection, in the place of one that was lost. One is opened at a time. */
  #opened() {
    if (this.#closed) return Promise.reject(new Error('the pool of connections was closed'));
    this.#opening ??= this.#reopened().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #reopened() {
    const connection = await PostgresConnection.open(this.#options);
    this.#add(connection);
    if (this.#closed) this.close();
    return connection;
  }

  async #queryLater(text, values) {
    return (await this.#available()).query(text, values);
  }

  /**
   * The connection with the fewest queries under way; undefined if none can be used. The queries of
   * one turn share a connection, and so a packet, up to a number that is worth another.
   */
  #idlest() {
    const current = this.#current;
    if (current?.unsent && !current.reserved && current.busy < MOST_TOGETHER) return current;
    this.#current = this.#leastBusy();
    return this.#current;
  }

  #leastBusy() {
    // Those who find another connection do not wait for the lost one, nor do they hear why not.
    if (this.#connections.length < this.#size) this.#opened().catch(() => {});
    let best;
    let least = Infinity;
    for (const connection of this.#connections) {
      if (connection.reserved) continue;
      const { busy } = connection;
      if (busy === 0) return connection;
      if (busy < least) [best, least] = [connection, busy];
    }
    return best;
  }

  /** A connection, when one is given back, or made anew for one that was lost. */
  async #available(alone = false) {
    if (this.#connections.length === this.#size) {
      return new Promise((resolve) => this.#waiting.push({ alone, resolve }));
    }
    const connection = await this.#opened();
    // Another waited for it too, or the pool was closed.
    if (connection.reserved || connection.lost) return this.#available(alone);
    connection.reserved = alone;
    return connection;
  }
}

/** Cancels the query of a connection that nobody else uses; gives the connection up if it cannot. */
async function cancelledOf(connection, reason) {
  const gone = Promise.withResolvers();
  const late = setTimeout(gone.reject, CANCEL_MS);
  try {
    await Promise.race([connection.cancel(), gone.promise]);
    // A cancellation that comes late hits this, and not what another asks next.
    await Promise.race([connection.query(EMPTY).catch(() => {}), gone.promise]);
  } catch {
    connection.lose(reason);
  } finally {
    clearTimeout(late);
  }
}
