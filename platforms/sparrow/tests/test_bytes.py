"""Tests that functions take bytes in every form, and refuse what is neither bytes nor text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Run

TAKING = """
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { run } from 'sparrow:children';
import { digest, hmac, toBase64, toHex } from 'sparrow:crypto';
import { readText, write } from 'sparrow:files';

const calls = {
  digest: (given) => toHex(digest('md5', given)),
  'the key of hmac': (given) => toHex(hmac('md5', given, 'a')),
  'the content of hmac': (given) => toHex(hmac('md5', 'a', given)),
  toBase64: (given) => toBase64(encoded(given)),
  toHex: (given) => toHex(encoded(given)),
  write(given) { write('written', given); return readText('written'); },
  writeFileSync(given) { writeFileSync('written', given); return readText('written'); },
  writeSync(given) {
    const file = openSync('/dev/null', 'w');
    try { return writeSync(file, given); } finally { closeSync(file); }
  },
  run: async (given) => decoded((await run('cat', [], { input: given ?? 5 })).stdout),
  Response: (given) => new Response(given ?? 5).text(),
};
const encoded = (given) =>
  typeof given === 'string' ? new TextEncoder().encode(given) : given;
const decoded = (bytes) => new TextDecoder().decode(bytes);
"""


def test_bytes_are_the_same_in_every_form(run: Run) -> None:
    done = run(
        f"{TAKING}\n"
        "const bytes = new TextEncoder().encode('abcd');\n"
        "const { buffer } = bytes;\n"
        "const forms = ['abcd', bytes, buffer, new DataView(buffer), new Uint16Array(buffer)];\n"
        "const all = {};\n"
        "for (const [name, call] of Object.entries(calls))\n"
        "  all[name] = await Promise.all(forms.map(call));\n"
        "console.log(JSON.stringify(all));"
    )
    assert done.returncode == 0, done.stderr
    results: dict[str, list[object]] = json.loads(done.stdout)
    assert {name: len(set(one)) for name, one in results.items()} == dict.fromkeys(results, 1)
    assert results["write"][0] == "abcd"


def test_bodies_are_the_same_in_every_form(run: Run) -> None:
    done = run(
        "import { Reply, serve } from 'sparrow:http';\n"
        "const bytes = new TextEncoder().encode('abcd');\n"
        "const { buffer } = bytes;\n"
        "const forms = ['abcd', bytes, buffer, new DataView(buffer), new Uint16Array(buffer)];\n"
        "const server = serve({}, ({ path, text }) => ({\n"
        "  '/echo': () => text,\n"
        "  '/value': () => forms[text],\n"
        "  '/whole': () => new Reply(forms[text]),\n"
        "  '/parts': () => new Reply([forms[text]]),\n"
        "})[path]());\n"
        "const ask = async (path, body) => (await fetch(\n"
        "  `http://127.0.0.1:${server.port}${path}`, { method: 'POST', body })).text();\n"
        "for (const form of forms) console.log(await ask('/echo', form));\n"
        "for (const path of ['/value', '/whole', '/parts'])\n"
        "  for (const number of forms.keys()) console.log(await ask(path, `${number}`));\n"
        "server.stop();"
    )
    assert done.stdout == "abcd\n" * 20, done.stderr


def test_a_connection_writes_the_bytes_of_every_view(run: Run) -> None:
    done = run(
        "import { connect, listen } from 'sparrow:tcp';\n"
        "const listener = listen({}, (one) => {\n"
        "  let count = 0;\n"
        "  one.ondata = (bytes) => { count += bytes.length; };\n"
        "  one.onend = () => { console.log(count); one.close(); listener.close(); };\n"
        "});\n"
        "const connection = await connect('127.0.0.1', listener.port);\n"
        "const { buffer } = new Uint8Array(4);\n"
        "for (const view of [new DataView(buffer), new Uint16Array(buffer)])\n"
        "  connection.write(view);\n"
        "connection.end();"
    )
    assert done.stdout == "8\n", done.stderr


def test_a_write_after_the_end_of_a_connection_is_an_error(run: Run) -> None:
    """Whether or not the peer has ended too. A write to a closed connection is no error."""
    done = run(
        "import { connect, listen } from 'sparrow:tcp';\n"
        "const listener = listen({}, (one) => {\n"
        "  one.ondata = (bytes) => console.log(bytes.length);\n"
        "  one.onend = () => one.end();\n"
        "});\n"
        "const connection = await connect('127.0.0.1', listener.port);\n"
        "const attempt = () => {\n"
        "  try { console.log(connection.write(new Uint8Array(2))); }\n"
        "  catch ({ message }) { console.log(message); }\n"
        "};\n"
        "const ended = new Promise((resolve) => { connection.onend = resolve; });\n"
        "connection.write(new Uint8Array(1));\n"
        "connection.end();\n"
        "attempt();\n"
        "await ended;\n"
        "attempt();\n"
        "const other = await connect('127.0.0.1', listener.port);\n"
        "other.close();\n"
        "console.log(other.write(new Uint8Array(2)));\n"
        "listener.close();"
    )
    said = "nothing can be written to a connection after its end()"
    assert sorted(done.stdout.splitlines()) == ["-1", "1", said, said], done.stderr


def test_what_is_not_bytes_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "written").write_text("kept")
    done = run(
        f"{TAKING}\n"
        "import { connect, listen } from 'sparrow:tcp';\n"
        "const connection = await connect('127.0.0.1', listen({}, () => {}).port);\n"
        "Object.assign(calls, {\n"
        "  'a connection': (given) => connection.write(given, 0, 4),\n"
        "  'process.stdout': (given) => process.stdout.write(given),\n"
        "  TextDecoder: (given) => decoded(given ?? 5),\n"
        "});\n"
        "const taken = [];\n"
        "for (const [name, call] of Object.entries(calls)) {\n"
        "  for (const given of [undefined, 5, {}, [97]]) {\n"
        "    try { await call(given); taken.push(name); }\n"
        "    catch (error) { if (!(error instanceof TypeError)) throw error; }\n"
        "  }\n"
        "}\n"
        "console.log(JSON.stringify(taken)); process.exit(0);"
    )
    assert done.stdout == "[]\n", done.stderr
    assert (tmp_path / "written").read_text() == "kept"


def test_more_bytes_than_a_string_can_have_are_refused(run: Run) -> None:
    """Their number is more than an int of V8 can say."""
    done = run(
        "const bytes = new Uint8Array(2 ** 31);\n"
        "const calls = [() => new TextDecoder().decode(bytes),\n"
        "  () => Buffer.from(bytes.buffer).toString('latin1')];\n"
        "for (const call of calls) {\n"
        "  try { console.log(call().length); } catch ({ message }) { console.log(message); }\n"
        "}"
    )
    assert done.stdout == "the string would be too long\n" * 2, done.stderr


def test_the_message_names_what_a_function_takes(run: Run) -> None:
    done = run(
        "import { digest, toHex } from 'sparrow:crypto';\n"
        "const calls = [() => digest('md5', 5), () => new Response([1]), () => toHex('a')];\n"
        "for (const call of calls) {\n"
        "  try { call(); } catch ({ message }) { console.log(message); }\n"
        "}"
    )
    assert done.stdout.splitlines() == [
        "the value must be a string, an ArrayBuffer or a view of one",
        "the value must be a string, an ArrayBuffer or a view of one",
        "the value must be an ArrayBuffer or a view of one",
    ]
