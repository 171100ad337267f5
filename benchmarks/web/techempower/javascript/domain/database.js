import pg from 'pg';

import { UsageError } from '../../../../harness/javascript/harness.js';

const MOST = 10000;
// Named queries are prepared once a connection.
const READ = {
  name: 'read',
  text: 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1',
};
const WRITE = {
  name: 'write',
  text: 'UPDATE world SET randomnumber = v.r FROM unnest($1::int[], $2::int[]) v(i, r) WHERE id = v.i',
};
const FORTUNES = { name: 'fortunes', text: 'SELECT id, message FROM fortune' };

const drawn = () => Math.floor(Math.random() * MOST) + 1;

/** The tables of a database at a URL. Throws UsageError if it cannot be reached. */
export async function openDatabase(url, connections) {
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

  async function random(on) {
    const { rows } = await on.query({ ...READ, values: [drawn()] });
    return rows[0];
  }

  async function randomRows(on, count) {
    const rows = [];
    for (let i = 0; i < count; i++) rows.push(await random(on));
    return rows;
  }

  async function onOne(work) {
    const connection = await pool.connect();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  return {
    random: () => random(pool),
    /** Rows read one after another, on one connection. */
    rows: (count) => onOne((connection) => randomRows(connection, count)),
    /** Written in the order of ids, so that concurrent updates lock rows in the same order. */
    update: (count) =>
      onOne(async (connection) => {
        const rows = await randomRows(connection, count);
        rows.sort((a, b) => a.id - b.id);
        for (const row of rows) row.randomNumber = drawn();
        const values = [rows.map((row) => row.id), rows.map((row) => row.randomNumber)];
        await connection.query({ ...WRITE, values });
        return rows;
      }),
    fortunes: async () => (await pool.query(FORTUNES)).rows,
    close: () => pool.end(),
  };
}
