import { SQL } from 'bun';

import { UsageError } from '../../../../harness/javascript/harness.js';

/** The orders of a database at a URL, or undefined for none. Throws UsageError if unreachable. */
export async function openOrders(url, connections) {
  if (url === undefined) return undefined;
  let sql;
  try {
    sql = new SQL(url, { max: connections });
    await sql.connect();
  } catch (error) {
    throw new UsageError(
      `DATABASE_URL cannot be reached: ${JSON.stringify(error.message || error.code)}`,
    );
  }
  return {
    /** The row, or undefined. */
    async find(id) {
      // Prepared by Bun, once a connection.
      const [row] = await sql`
        SELECT id, customer, status, amount, note FROM orders WHERE id = ${id}`;
      // Bun gives bigint as text, for it may be past 2^53; what is kept in this table is not.
      return row && { ...row, id: Number(row.id), amount: Number(row.amount) };
    },
    close: () => sql.close(),
  };
}
