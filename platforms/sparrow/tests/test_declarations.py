"""Tests that sparrow.d.ts, with the files that it names, declares what the runtime has, and nothing
else."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[1] / "library"
MAIN = LIBRARY / "sparrow.d.ts"
GLOBAL = ""  # stands for no module

# What the runtime has, by module and name: for each value, its kind and its members. Members of a
# class are those of its prototype, its own (`static …`) and those of an example.
TOLD = """
import { Reply, serve } from 'sparrow:http';
import { PostgresError } from 'sparrow:postgres';
import { connect } from 'sparrow:tcp';
import { upgrade } from 'sparrow:websocket';

const examples = {};
const server = serve({}, (request) => {
  examples.Request = request;
  return upgrade(request, (socket) => { examples.WebSocket = socket; });
});
const head = `GET / HTTP/1.1\\r\\nHost: a\\r\\nUpgrade: websocket\\r\\nConnection: upgrade\\r\\n` +
  `Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\\r\\nSec-WebSocket-Version: 13\\r\\n\\r\\n`;
const connection = await connect('127.0.0.1', server.port);
connection.write(new TextEncoder().encode(head));
await new Promise((resolve) => { connection.ondata = resolve; });
const fields = { message: '', severity: '', code: '', detail: '', hint: '', position: '' };
const controller = new AbortController();
Object.assign(examples, {
  AbortController: controller,
  AbortSignal: controller.signal,
  Channel: { onmessage: undefined, onclose: undefined }, // a worker alone has one
  Connection: connection,
  PostgresError: new PostgresError(fields),
  Reply: new Reply(),
  Response: new Response(),
  Worker: { threadId: 1 },
  TextDecoder: new TextDecoder(),
  TextEncoder: new TextEncoder(),
});

function told(name, value) {
  if (typeof value === 'function' && /^class\\b/.test(value.toString())) {
    const own = Object.getOwnPropertyNames(value)
      .filter((key) => !['length', 'name', 'prototype'].includes(key))
      .map((key) => `static ${key}`);
    const shared = Object.getOwnPropertyNames(value.prototype)
      .filter((key) => key !== 'constructor');
    return ['class', ...own, ...shared, ...Object.keys(examples[name] ?? {})];
  }
  if (typeof value === 'function') return ['function'];
  return Object(value) === value ? ['object', ...Object.keys(value)] : ['value'];
}
const modules = {};
for (const specifier of MODULES) {
  const all = await import(specifier);
  modules[specifier] = Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, told(name, value)]));
}
const globals = Object.getOwnPropertyNames(globalThis);
modules[''] = Object.fromEntries(globals.map((name) => [name, told(name, globalThis[name])]));
console.log(JSON.stringify(modules));
process.exit();
"""

Kinds = dict[str, dict[str, list[str]]]


def declarations() -> str:
    """The text of sparrow.d.ts and of the files that it names."""
    main = MAIN.read_text()
    named = re.findall(r'^/// <reference path="(.+)" />$', main, re.MULTILINE)
    return "".join([main, *(LIBRARY.joinpath(name).read_text() for name in named)])


def declared(text: str) -> Kinds:
    """What the text declares. Biome has formatted it, so indentation shows what is inside what."""
    modules: Kinds = {GLOBAL: {}}
    module = GLOBAL
    members: list[str] | None = None
    depth = 0  # spaces before a declaration
    for line in text.splitlines():
        if found := re.match(r"declare module '(.+)' \{", line):
            module, depth = found[1], 2
            modules[module] = {}
        elif line == "}" and depth == 2:
            module, depth = GLOBAL, 0
        elif line == "  export default all;":  # an object of all names of its module
            modules[module]["default"] = ["object", *modules[module]]
        elif found := re.match(r"  export \* from '(.+)';", line):
            modules[module] = modules.get(found[1], {})
        elif found := re.match(
            rf" {{{depth}}}(?:export|declare) (class|function|const) (\w+)(.*)", line
        ):
            kind = {"const": "value"}.get(found[1], found[1])
            inside = line.endswith("{")
            if inside and kind == "value":
                kind = "object"
            members = modules[module].setdefault(found[2], [kind])
            if not inside or kind == "function":
                members = None
        elif members is not None and line.strip() in ("}", "};") and line.index("}") == depth:
            members = None
        elif members is not None and (
            found := re.match(rf" {{{depth + 2}}}(static )?(?:readonly )?(\w+)\??[(:<]", line)
        ):
            members += [(found[1] or "") + found[2]] if found[2] != "constructor" else []
    return modules


def names_of_v8(sparrow: Path) -> set[str]:
    """The globals that the engine has by itself."""
    asked = [str(sparrow), "-p", "process.execPath"]
    launcher = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    source = "JSON.stringify(require('vm').runInNewContext('Object.getOwnPropertyNames(this)'))"
    words = [str(Path(launcher).with_name("engine")), "-p", source]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout)) - {"console"}


def differences(said: Kinds, runtime: Kinds) -> Iterator[str]:
    """What is declared and does not exist, or exists and is not declared."""
    for module in said.keys() ^ runtime.keys():
        yield module
    for module in said.keys() & runtime.keys():
        for name in said[module].keys() ^ runtime[module].keys():
            yield f"{module} {name}"
        for name in said[module].keys() & runtime[module].keys():
            (kind, *members), (real_kind, *real) = said[module][name], runtime[module][name]
            if kind == "value":
                continue  # its type is a name
            if kind == "object" and real_kind == "class":
                real = [one.removeprefix("static ") for one in real if one.startswith("static ")]
            elif kind != real_kind:
                yield f"{module} {name}: {kind} {real_kind}"
            for member in set(members) ^ set(real):
                yield f"{module} {name}.{member}"


@pytest.fixture(scope="module")
def runtime(sparrow: Path, tmp_path_factory: pytest.TempPathFactory) -> Kinds:
    own = [f"sparrow:{file.stem}" for file in LIBRARY.glob("*.js")]
    of_node = [file.stem for file in LIBRARY.glob("node/*.js")]
    modules = [*own, *of_node, *(f"node:{name}" for name in of_node)]
    program = tmp_path_factory.mktemp("declarations") / "program.js"
    program.write_text(TOLD.replace("MODULES", json.dumps(modules)))
    done = subprocess.run([sparrow, program], capture_output=True, text=True, check=True)
    told: Kinds = json.loads(done.stdout)
    for name in names_of_v8(sparrow):
        told[GLOBAL].pop(name, None)
    return told


def test_declared_names_are_those_of_the_runtime(runtime: Kinds) -> None:
    assert sorted(differences(declared(declarations()), runtime)) == []


@pytest.mark.parametrize(
    ("declaration", "instead", "difference"),
    [
        ("export function html(", "export function xml(", "sparrow:http html"),
        ("export function html(", "export function xml(", "sparrow:http xml"),
        ("declare function fetch(", "declare function get(", " fetch"),
        ("declare module 'node:os' {", "declare module 'node:net' {", "node:net"),
        ("declare module 'os' {", "declare module 'net' {", "os"),
        ("  const all: typeof import('node:os');\n  export default all;\n", "", "node:os default"),
        ("  transaction<T>(", "  atomic<T>(", "sparrow:postgres Pool.transaction"),
        ("  readonly ok: boolean;", "", " Response.ok"),
        ("static canParse(", "static canRead(", " URL.static canParse"),
        ("  allocUnsafe(", "  allocSafe(", " Buffer.allocUnsafe"),
        ("  uptime(): number;", "", " process.uptime"),
        (
            "export class Request {",
            "export function Request(",
            "sparrow:http Request: function class",
        ),
    ],
)
def test_a_wrong_declaration_is_found(
    declaration: str, instead: str, difference: str, runtime: Kinds
) -> None:
    text = declarations()
    assert text.count(declaration) == 1
    assert difference in differences(declared(text.replace(declaration, instead)), runtime)
