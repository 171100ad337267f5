// What the servers on Bun have in common: Bun's own PostgreSQL client, and how they stop.

import { SQL } from 'bun';

import { UsageError } from '../../../../harness/javascript/harness.js';
import { serveTests } from './service.js';

const MOST = 10000;

const drawn = () => Math.floor(Math.random() * MOST) + 1;

/** Runs the web tests on a framework: `start(database, place)` gives its listening Bun server. */
export function serveOnBun(tier, start) {
  serveTests(tier, openDatabase, async (database, place) => {
    const server = await start(database, place);
    return { port: server.port, stop: () => server.stop() };
  });
}

/** The tables of a database at a URL. Throws UsageError if it cannot be reached. */
async function openDatabase(url, connections) {
  let sql;
  try {
    sql = new SQL(url, { max: connections });
    await sql.connect();
  } catch (error) {
    throw new UsageError(
      `DATABASE_URL cannot be reached: ${JSON.stringify(error.message || error.code)}`,
    );
  }

  async function random() {
    // Prepared by Bun, once a connection.
    const [row] = await sql`
      SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ${drawn()}`;
    return row;
  }

  /** Bun sends the queries without waiting for the answers, each with a Sync of its own. */
  const rows = (count) => Promise.all(Array.from({ length: count }, random));

  return {
    random,
    rows,
    /** Written in the order of ids, so that concurrent updates lock rows in the same order. */
    async update(count) {
      const changed = await rows(count);
      changed.sort((a, b) => a.id - b.id);
      for (const row of changed) row.randomNumber = drawn();
      const ids = sql.array(
        changed.map((row) => row.id),
        'INT',
      );
      const numbers = sql.array(
        changed.map((row) => row.randomNumber),
        'INT',
      );
      await sql`
        UPDATE world SET randomnumber = v.r FROM unnest(${ids}, ${numbers}) v(i, r) WHERE id = v.i`;
      return changed;
    },
    fortunes: () => sql`SELECT id, message FROM fortune`,
    close: () => sql.close(),
  };
}
