import { connect } from 'sparrow:postgres';

import { UsageError } from '../../../../harness/javascript/harness.js';

const MOST = 10000;
// Statements are prepared once a connection.
const READ = 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1';
const WRITE =
  'UPDATE world SET randomnumber = v.r FROM unnest($1::int[], $2::int[]) v(i, r) WHERE id = v.i';
const FORTUNES = 'SELECT id, message FROM fortune';

const drawn = () => Math.floor(Math.random() * MOST) + 1;

/** The tables of a database at a URL; undefined without one. Throws UsageError if unreachable. */
export async function openDatabase(url, connections) {
  if (url === undefined) return undefined;
  let pool;
  try {
    pool = await connect(url, { connections });
  } catch (error) {
    throw new UsageError(`DATABASE_URL cannot be reached: ${JSON.stringify(error.message)}`);
  }

  async function random() {
    const rows = await pool.query(READ, [drawn()]);
    return rows[0];
  }

  /** The queries are all sent before the first is answered; each has its own Sync. */
  const randomRows = (count) => Promise.all(Array.from({ length: count }, random));

  return {
    random,
    rows: randomRows,
    /** Written in the order of ids, so that concurrent updates lock rows in the same order. */
    async update(count) {
      const rows = await randomRows(count);
      rows.sort((a, b) => a.id - b.id);
      for (const row of rows) row.randomNumber = drawn();
      await pool.query(WRITE, [rows.map((row) => row.id), rows.map((row) => row.randomNumber)]);
      return rows;
    },
    fortunes: () => pool.query(FORTUNES),
    close: () => pool.close(),
  };
}
