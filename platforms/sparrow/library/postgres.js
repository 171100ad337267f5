// A PostgreSQL client: a pool of connections, over which queries are spread.

import { PostgresConnection } from 'sparrow:internal/postgres-connection';
import { optionsOf } from 'sparrow:internal/postgres-url';

export { PostgresError } from 'sparrow:internal/postgres-connection';

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
  #connections;
  #waiting = []; // for a connection that is not reserved
  #opening = undefined;
  #size;
  #current = undefined; // what the queries of this turn go over

  constructor(options, connections) {
    this.#options = options;
    this.#connections = connections;
    this.#size = connections.length;
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
      await query('COMMIT');
      return result;
    } catch (error) {
      if (!connection.lost) await query('ROLLBACK');
      throw error;
    } finally {
      this.#giveBack(connection);
    }
  }

  async #cancellable(text, values, signal) {
    signal.throwIfAborted();
    const connection = await this.#reserved();
    let cancelled;
    const abort = () => {
      cancelled = cancelledOf(connection, signal.reason);
    };
    try {
      await connection.query(EMPTY); // what others have asked before is answered
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
    for (const connection of this.#connections) connection.close();
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
    let best;
    let least = Infinity;
    for (const connection of this.#connections) {
      if (connection.reserved || connection.lost) continue;
      const { busy } = connection;
      if (busy === 0) return connection;
      if (busy < least) [best, least] = [connection, busy];
    }
    return best;
  }

  /** A connection, when one is given back, or made anew for one that was lost. */
  async #available(alone = false) {
    this.#connections = this.#connections.filter((connection) => !connection.lost);
    if (this.#connections.length === this.#size) {
      return new Promise((resolve) => this.#waiting.push({ alone, resolve }));
    }
    this.#opening ??= PostgresConnection.open(this.#options).finally(() => {
      this.#opening = undefined;
    });
    const connection = await this.#opening;
    if (!this.#connections.includes(connection)) this.#connections.push(connection);
    if (connection.reserved) return this.#available(alone); // another waited for it too
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
    connection.abandon(reason);
  } finally {
    clearTimeout(late);
  }
}
