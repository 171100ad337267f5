// A PostgreSQL client: a pool of connections, over which queries are spread.

import { PostgresConnection } from 'sparrow:postgres-connection';
import { env } from 'sparrow:process';

export { PostgresError } from 'sparrow:postgres-connection';

const PORT = 5432;
const MOST_TOGETHER = 64;

/**
 * A pool of `connections` to the database at `postgresql://USER:PASSWORD@HOST:PORT/NAME`. Throws if
 * it cannot be reached or refuses the login.
 */
export async function connect(url, { connections = 10 } = {}) {
  const options = optionsOf(url);
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

class Pool {
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

  /** The rows of a statement, which is prepared once a connection; `$1`… are its parameters. */
  query(text, values) {
    const connection = this.#idlest();
    return connection ? connection.query(text, values) : this.#queryLater(text, values);
  }

  /** What `work(query)` gives: all of its queries take effect, or none if it throws. */
  async transaction(work) {
    const connection = this.#idlest() ?? (await this.#available());
    connection.reserved = true;
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
      connection.reserved = false;
      this.#waiting.shift()?.(connection);
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
  async #available() {
    this.#connections = this.#connections.filter((connection) => !connection.lost);
    if (this.#connections.length === this.#size) {
      return new Promise((resolve) => this.#waiting.push(resolve));
    }
    this.#opening ??= PostgresConnection.open(this.#options).finally(() => {
      this.#opening = undefined;
    });
    const connection = await this.#opening;
    if (!this.#connections.includes(connection)) this.#connections.push(connection);
    return connection;
  }
}

const URL = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^:/?]*)(?::(\d+))?\/([^?]*)/;

function optionsOf(url) {
  const parts = URL.exec(url);
  if (!parts) {
    throw new Error(
      `not the URL of a database: ${JSON.stringify(url)}; postgresql://USER@HOST/NAME is one`,
    );
  }
  const [, user = '', password = '', host, port, database] = parts.map(
    (part) => part && decodeURIComponent(part),
  );
  const name = user || env.USER || 'postgres';
  return {
    user: name,
    password: password ?? '',
    host: host || '127.0.0.1',
    port: Number(port ?? PORT),
    database: database || name,
  };
}
