"""Tests of the PostgreSQL client, against a server of their own."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Database, Run, Told

PATIENCE_S = 120.0
PASSWORD = "pass/word: \u00e9"


@pytest.mark.parametrize(
    ("user", "password", "said"),
    [
        ("scrammed", PASSWORD, ""),
        ("clear", PASSWORD, ""),
        ("scrammed", "wrong", "password authentication failed"),
        ("scrammed", "", "password authentication failed"),
        ("nobody", "", "no pg_hba.conf entry"),
    ],
)
def test_logins(
    user: str, password: str, said: str, run: Run, database: Database, told: Told
) -> None:
    (_,) = told(
        "const role = (name) => db.query(`DO $$ BEGIN CREATE ROLE ${name} LOGIN PASSWORD\n"
        f"  '{PASSWORD}'; EXCEPTION WHEN duplicate_object THEN NULL; END $$`);\n"
        "for (const name of ['scrammed', 'clear']) await role(name);\n"
        "tell('ready');",
    )
    escaped = json.dumps(password)
    done = run(
        "import { connect } from 'sparrow:postgres';\n"
        f"const url = `postgresql://{user}:${{encodeURIComponent({escaped})}}"
        f"@127.0.0.1:{database.port}/postgres`;\n"
        "try { const db = await connect(url, { connections: 1 });\n"
        "  console.log((await db.query('SELECT current_user::text AS who'))[0].who); db.close();\n"
        "} catch (error) { console.log(error.message); }"
    )
    assert done.stdout.startswith(said or user), done.stderr
    assert done.stderr == ""


def test_a_query_that_is_not_a_string_is_refused(told: Told) -> None:
    """An array also has a length and the method `includes`."""
    (failed, later) = told(
        "tell(await failure(db.query`SELECT 1`));\ntell(await db.query('SELECT 2 AS n'));",
    )
    assert failed == {"name": "TypeError", "message": "the text must be a string"}
    assert later == [{"n": 2}]


def test_the_server_ends_a_query_that_takes_too_long(told: Told) -> None:
    (late, next_) = told(
        "tell((await failure(db.query('SELECT pg_sleep(600)'))).code);\n"
        "tell((await db.query('SELECT 1 AS n'))[0].n);",
        "{ connections: 1, queryMs: 50 }",
    )
    assert late == "57014"
    assert next_ == 1


def test_a_statement_is_prepared_once(told: Told) -> None:
    (counts,) = told(
        "for (let i = 0; i < 5; i++) await db.query('SELECT $1::int AS n', [i]);\n"
        "const seen = `SELECT count(*)::int AS n\n"
        "  FROM pg_prepared_statements WHERE statement = $1`;\n"
        "tell([(await db.query(seen, ['SELECT $1::int AS n']))[0].n]);",
    )
    assert counts == [1]


def test_a_connection_keeps_a_bounded_number_of_statements(told: Told) -> None:
    """A statement that was dropped can be asked again, and so can many without waiting."""
    (values, again, kept) = told(
        "const one = async (n) => (await db.query(`SELECT ${n} AS n`))[0].n;\n"
        "const values = [];\n"
        "for (let n = 0; n < 300; n++) values.push(await one(n));\n"
        "tell(values);\n"
        "tell(await Promise.all(Array.from({ length: 300 }, (_, n) => one(n))));\n"
        "tell((await db.query('SELECT count(*)::int AS n FROM pg_prepared_statements'))[0].n);",
    )
    assert values == again == list(range(300))
    assert kept == 256


def test_a_statement_that_is_used_stays_prepared(told: Told) -> None:
    (first, outdated) = told(
        "const often = () => db.query('SELECT 1 AS often');\n"
        "await often();\n"
        "for (let n = 0; n < 600; n++) { await db.query(`SELECT ${n}`); await often(); }\n"
        "const prepared = 'FROM pg_prepared_statements';\n"
        "tell((await db.query(`SELECT statement ${prepared} ORDER BY prepare_time LIMIT 1`))[0]);\n"
        "await db.query('DROP TABLE IF EXISTS changed');\n"
        "await db.query('CREATE TABLE changed (a int)');\n"
        "const all = 'SELECT * FROM changed';\n"
        "for (const name of ['b', 'c', 'd']) {\n"
        "  await db.query(all);\n"
        "  await db.query(`ALTER TABLE changed ADD ${name} int`);\n"
        "  await failure(db.query(all));\n"
        "}\n"
        "await db.query(all);\n"
        "tell((await db.query(`SELECT count(*)::int AS n ${prepared} WHERE statement = $1`,\n"
        "  [all]))[0].n);",
    )
    assert first == {"statement": "SELECT 1 AS often"}
    assert outdated == 1


def test_queries_follow_one_another_and_fail_alone(told: Told) -> None:
    """One connection, and no waiting. A failed query takes no other with it, because each query has
    a Sync of its own."""
    (outcomes, rows) = told(
        "await db.query('CREATE TABLE IF NOT EXISTS kept (n int)');\n"
        "await db.query('TRUNCATE kept');\n"
        "const all = Array.from({ length: 300 }, (_, i) => failure(i % 3 === 1\n"
        "  ? db.query('SELECT 1 / $1::int AS n', [0])\n"
        "  : i % 3 === 2 ? db.query('SELEC nothing') \n"
        "  : db.query('INSERT INTO kept VALUES ($1) RETURNING n', [i])));\n"
        "tell((await Promise.all(all)).map(({ value, code }) => value?.[0].n ?? code));\n"
        "tell((await db.query('SELECT count(*)::int AS n, max(n) AS m FROM kept'))[0]);",
    )
    assert outcomes == [[i, "22012", "42601"][i % 3] if i % 3 else i for i in range(300)]
    assert rows == {"n": 100, "m": 297}


def test_a_transaction_is_whole_or_nothing(told: Told) -> None:
    (thrown, count, waited) = told(
        "await db.query('CREATE TABLE IF NOT EXISTS moved (n int)');\n"
        "await db.query('TRUNCATE moved');\n"
        "tell(await failure(db.transaction(async (query) => {\n"
        "  await query('INSERT INTO moved VALUES (1)'); throw new Error('changed my mind'); })));\n"
        "await db.transaction((query) => query('INSERT INTO moved VALUES (2)'));\n"
        "tell((await db.query('SELECT array_agg(n)::text AS n FROM moved'))[0].n);\n"
        # The only connection is taken; all who waited for it get their turn.
        "const slow = db.transaction((query) => query('SELECT pg_sleep(0.05)'));\n"
        "const others = [1, 2, 3].map((n) => db.query('SELECT $1::int AS n', [n]));\n"
        "const more = [4, 5].map((n) => db.transaction(async (query) => {\n"
        "  const [{ id }] = await query('SELECT txid_current()::text AS id');\n"
        "  await query('SELECT pg_sleep(0.01)');\n"
        "  return query('SELECT txid_current()::text = $1 AS same, $2::int AS n', [id, n]);\n"
        "}));\n"
        "await slow;\n"
        "tell((await Promise.all([...others, ...more])).map(([row]) => row));",
    )
    assert thrown == {"name": "Error", "message": "changed my mind"}
    assert count == "{2}"
    assert waited == [
        *({"n": n} for n in (1, 2, 3)),
        *({"same": True, "n": n} for n in (4, 5)),
    ]


def test_a_signal_cancels_its_query_alone(told: Told) -> None:
    (cancelled, others, running) = told(
        "const sleep = 'SELECT pg_sleep(600)';\n"
        "const late = failure(db.query(sleep, [], { signal: AbortSignal.timeout(50) }));\n"
        "const one = (_, n) => db.query('SELECT $1::int AS n', [n]);\n"
        "const others = Array.from({ length: 20 }, one);\n"
        "tell(await late);\n"
        "tell((await Promise.all(others)).map(([{ n }]) => n));\n"
        "tell((await db.query(`SELECT count(*)::int AS n FROM pg_stat_activity\n"
        "  WHERE query = $1 AND state = 'active'`, [sleep]))[0].n);",
    )
    assert cancelled == {"name": "TimeoutError", "message": "the operation took longer than 50 ms"}
    assert others == list(range(20))
    assert running == 0


def test_a_query_that_was_cancelled_runs_no_longer(told: Told) -> None:
    (running,) = told(
        "const other = await connect(url, { connections: 1 });\n"
        "const sleep = 'SELECT pg_sleep(601)';\n"
        "await failure(db.query(sleep, [], { signal: AbortSignal.timeout(50) }));\n"
        "tell((await other.query(`SELECT count(*)::int AS n FROM pg_stat_activity\n"
        "  WHERE query = $1 AND state = 'active'`, [sleep]))[0].n);\n"
        "other.close();",
    )
    assert running == 0


def test_a_signal_is_heard_by_a_query_that_waits(told: Told) -> None:
    (heard, later) = told(
        "const controller = new AbortController();\n"
        "const { signal } = controller;\n"
        "const heard = await db.transaction(async (query) => {\n"
        "  const waiting = failure(db.query('SELECT 1', [], { signal }));\n"
        "  controller.abort(new Error('enough'));\n"
        "  return Promise.race([waiting, query('SELECT 1')]);\n"
        "});\n"
        "tell(heard);\n"
        "tell(await db.query('SELECT 2 AS n'));",
    )
    assert heard == {"name": "Error", "message": "enough"}
    assert later == [{"n": 2}]


def test_a_signal_is_heard_behind_the_queries_of_others(told: Told) -> None:
    (heard,) = told(
        "const others = failure(db.query('SELECT pg_sleep(20)'));\n"
        "const signal = AbortSignal.timeout(50);\n"
        "const waiting = failure(db.query('SELECT 1', [], { signal }));\n"
        "tell((await Promise.race([waiting, others])).name);",
    )
    assert heard == "TimeoutError"


def test_a_lost_connection_is_replaced(told: Told) -> None:
    (lost, later) = told(
        "const pid = (await db.query('SELECT pg_backend_pid() AS pid'))[0].pid;\n"
        "const { connect: again } = await import('sparrow:postgres');\n"
        "const other = await again(url, { connections: 1 });\n"
        "const waiting = failure(db.query('SELECT pg_sleep(600)'));\n"
        "await other.query('SELECT pg_terminate_backend($1)', [pid]);\n"
        "other.close();\n"
        "tell((await waiting).code);\n"
        "tell((await db.query('SELECT 1 AS n'))[0].n);",
    )
    assert lost == "57P01"
    assert later == 1


@pytest.mark.parametrize(("family", "host"), [("AF_INET", "127.0.0.1"), ("AF_INET6", "[::1]")])
def test_a_server_that_says_nothing_is_not_waited_for(family: str, host: str, run: Run) -> None:
    with _silent(socket.AddressFamily[family], host.strip("[]")) as silent:
        port = silent.getsockname()[1]
        done = run(
            "import { connect } from 'sparrow:postgres';\n"
            f"await connect('postgresql://a@{host}:{port}/a', {{ connectMs: 100 }});"
        )
    assert (
        f"the login to PostgreSQL at {host.strip('[]')}:{port} took longer than 100 ms"
        in done.stderr
    )
    assert done.returncode == 1


def _silent(family: socket.AddressFamily, address: str) -> socket.socket:
    try:
        return socket.create_server((address, 0), family=family)
    except OSError as error:
        pytest.skip(f"{address}: {error}")


@pytest.mark.parametrize("url", ["mysql://a@b/c", "nothing"])
def test_what_is_no_address_is_said(url: str, run: Run) -> None:
    done = run(f"import {{ connect }} from 'sparrow:postgres'; await connect('{url}');")
    assert f'not the URL of a database: "{url}"' in done.stderr
    assert done.returncode == 1


def test_a_server_that_comes_back_is_used_again(
    sparrow: Path, tmp_path: Path, database: Database
) -> None:
    """The program goes on while the server is restarted: errors, then good answers again."""
    program = tmp_path / "program.js"
    program.write_text(
        "import { connect } from 'sparrow:postgres';\n"
        "import { sleep } from 'sparrow:timers';\n"
        f"const db = await connect('{database.url()}', {{ connections: 3 }});\n"
        "let errors = 0;\n"
        "console.log((await db.query('SELECT 1 AS n'))[0].n);\n"
        "for (;;) {\n"
        "  const one = (_, n) => db.query('SELECT $1::int AS n', [n]);\n"
        "  const all = Array.from({ length: 10 }, one);\n"
        "  const failed = (await Promise.allSettled(all)).filter((one) => one.reason).length;\n"
        "  if (failed === 0 && errors > 0) break;\n"
        "  errors += failed;\n"
        "  await sleep(5);\n"
        "}\n"
        "console.log('good again'); db.close();"
    )
    with subprocess.Popen([sparrow, program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        database.stop()
        database.start()
        assert process.stdout.read() == "good again\n"
        assert process.wait(PATIENCE_S) == 0


def test_transactions_that_share_a_new_connection_take_turns(told: Told) -> None:
    (rows,) = told(
        "await failure(db.query('SELECT pg_terminate_backend(pg_backend_pid())'));\n"
        "const one = () => db.transaction(async (query) => {\n"
        "  const [{ id }] = await query('SELECT txid_current()::text AS id');\n"
        "  const [{ same }] = await query('SELECT txid_current()::text = $1 AS same', [id]);\n"
        "  return [id, same];\n"
        "});\n"
        "tell(await Promise.all([one(), one(), one()]));",
    )
    assert isinstance(rows, list)
    assert all(same for _, same in rows)
    assert len({name for name, _ in rows}) == 3


def test_a_transaction_whose_failed_query_is_caught_does_not_pretend_to_commit(told: Told) -> None:
    (failed, rows, failed_later) = told(
        "await db.query('CREATE TEMP TABLE kept (n int)');\n"
        "tell(await failure(db.transaction(async (query) => {\n"
        "  await query('INSERT INTO kept VALUES (1)');\n"
        "  await query('SELECT 1/0').catch(() => {});\n"
        "})));\n"
        "tell((await db.query('SELECT count(*)::int AS n FROM kept'))[0].n);\n"
        "tell(await failure(db.transaction((query) => query('INSERT INTO kept VALUES (2)'))));",
    )
    assert isinstance(failed, dict)
    assert failed["message"] == "the transaction was rolled back, because a query in it failed"
    assert rows == 0
    assert failed_later == {"value": []}


def test_a_statement_is_prepared_anew_when_its_table_has_changed(told: Told) -> None:
    (first, forgotten) = told(
        "await db.query('CREATE TEMP TABLE grown (a int)');\n"
        "const read = () => db.query('SELECT * FROM grown');\n"
        "await db.query('INSERT INTO grown VALUES (1)');\n"
        "await read(); await read();\n"
        "await db.query('ALTER TABLE grown ADD b int DEFAULT 2');\n"
        "await failure(read());\n"
        "tell(await failure(read()));\n"
        "await db.query('DEALLOCATE ALL');\n"
        "await failure(read());\n"
        "tell(await failure(read()));",
    )
    assert first == forgotten == {"value": [{"a": 1, "b": 2}]}


def test_lost_connections_are_replaced(told: Told) -> None:
    (before, after) = told(
        "const mine = async () => {\n"
        "  const pids = await Promise.all(Array.from({ length: 4 }, () => db.transaction(\n"
        "    async (query) => { const [row] = await query('SELECT pg_backend_pid() AS pid');\n"
        "      await query('SELECT pg_sleep(0.05)'); return row.pid; })));\n"
        "  return new Set(pids).size;\n"
        "};\n"
        "tell(await mine());\n"
        "const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity\n"
        "  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`;\n"
        "await db.query(end);\n"
        "const count = async () => (await db.query(`SELECT count(*)::int AS n FROM\n"
        "  pg_stat_activity WHERE backend_type = 'client backend'`))[0].n;\n"
        "let n = 0;\n"
        "for (let i = 0; i < 100 || (n !== 4 && i < 3000); i++) {\n"
        "  n = await count();\n"
        "  await new Promise((resolve) => setTimeout(resolve, 10));\n"
        "}\n"
        "tell(n);",
        "{ connections: 4 }",
    )
    assert (before, after) == (4, 4)


def test_a_closed_pool_answers_no_query(told: Told) -> None:
    (waited, late) = told(
        "const held = failure(db.transaction((query) => query('SELECT pg_sleep(60)')));\n"
        "await new Promise((resolve) => setTimeout(resolve, 50));\n"
        "const waiting = failure(db.query('SELECT 1'));\n"
        "db.close();\n"
        "await held;\n"
        "tell(await waiting);\n"
        "tell(await failure(db.query('SELECT 1')));",
    )
    for failed in (waited, late):
        assert isinstance(failed, dict)
        assert failed["message"] == "the pool of connections was closed"


def test_a_copy_takes_no_answers_of_others(told: Told) -> None:
    """The server ignores the Sync behind a COPY, and ends the COPY at the next query."""
    (together, later, out) = told(
        "await db.query('CREATE TEMP TABLE copied (n int)');\n"
        "const all = ['COPY copied FROM STDIN', ...[1, 2, 3].map((n) => `SELECT ${n} AS n`)];\n"
        "const outcomes = await Promise.all(all.map((text) => failure(db.query(text))));\n"
        "tell(outcomes.map(({ message, value }) => message ?? value));\n"
        "tell(await db.query('SELECT 4 AS n'));\n"
        "tell((await failure(db.query('COPY (SELECT 5) TO STDOUT'))).message);",
    )
    assert together == ["COPY FROM STDIN is not supported: the connection is closed"] * 4
    assert later == [{"n": 4}]
    assert out == "COPY TO STDOUT is not supported"
