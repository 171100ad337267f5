import pg from 'pg';

import { UsageError } from '../../../../harness/javascript/harness.js';

const QUERY = {
  name: 'order', // a named query is prepared once a connection
  text: 'SELECT id, customer, status, amount, note FROM orders WHERE id = $1',
};

// node-postgres gives bigint as text, for it may be past 2^53; what is kept in this table is not.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** The orders of a database at a URL, or undefined for none. Throws UsageError if unreachable. */
export async function openOrders(url, connections) {
  if (url === undefined) return undefined;
  let pool;
  try {
    pool = new pg.Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 });
    // A connection that breaks while idle is dropped by the pool; unheard it would end the process.
    pool.on('error', () => {});
    (await pool.connect()).release();
  } catch (error) {
    throw new UsageError(
      `DATABASE_URL cannot be reached: ${JSON.stringify(error.message || error.code)}`,
    );
  }
  return {
    /** The row, or undefined. */
    async find(id) {
      const { rows } = await pool.query({ ...QUERY, values: [id] });
      return rows[0];
    },
    close: () => pool.end(),
  };
}
