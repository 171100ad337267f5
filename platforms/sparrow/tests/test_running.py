"""Tests of the command line: programs run, and mistakes are explained."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

if TYPE_CHECKING:
    from .conftest import Run


def test_help_names_every_module_and_its_examples_can_be_loaded(run: Run, sparrow: Path) -> None:
    done = subprocess.run([sparrow, "--help"], capture_output=True, text=True, check=True)
    assert "--heap" in done.stdout
    for module in Path(__file__).parents[1].glob("library/*.js"):
        assert f"sparrow:{module.stem}" in done.stdout
    examples = [part for part in done.stdout.split("\n\n") if part.startswith("    import ")]
    assert len(examples) >= 4
    for example in examples:
        checked = run(example, "--check")
        assert (checked.returncode, checked.stderr) == (0, ""), example


def test_a_module_runs(run: Run) -> None:
    done = run(
        "import { name } from './other.js';\n"
        "const { two } = await import('./late.js');\n"
        "console.log(name, two, import.meta.main, [1, { a: 'x' }]);",
        other="export const name = import.meta.url.split('/').at(-1);",
        late="export const two = await Promise.resolve(2);",
    )
    assert done.stderr == ""
    assert done.stdout == 'other.js 2 true [1, { a: "x" }]\n'
    assert done.returncode == 0


def test_a_module_may_import_itself_while_it_is_evaluated(run: Run) -> None:
    done = run(
        "export const name = 'own';\nimport(import.meta.url).then((own) => console.log(own.name));"
    )
    assert (done.stdout, done.stderr) == ("own\n", "")


def test_an_address_of_a_module_is_a_url(run: Run) -> None:
    other = "a 100%23 file#"
    done = run(
        f"const url = new URL({json.dumps(quote(other) + '.js')}, import.meta.url).href;\n"
        "const { own } = await import(url);\n"
        "console.log(own === url);",
        **{other: "export const own = import.meta.url;"},
    )
    assert (done.stdout, done.stderr) == ("true\n", "")


def test_what_a_missing_module_imported_can_be_imported_later(run: Run) -> None:
    done = run(
        "for (const name of ['first', 'second'])\n"
        "  await import(`./${name}.js`).catch((error) => console.log(error.message));",
        first="import './second.js';\nimport './missing.js';",
        second="import './first.js';",
    )
    assert done.stdout == "cannot find module './missing.js'\n" * 2
    assert done.stderr == ""


def test_json_is_imported_as_its_value(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{ "b": [1, "\u00fc"], "__proto__": 2 }')
    done = run(
        "import a from './a.json' with { type: 'json' };\n"
        "const late = await import('./a.json', { with: { type: 'json' } });\n"
        "console.log(JSON.stringify(a), late.default === a, Object.keys(late));"
    )
    assert done.stderr == ""
    assert done.stdout == '{"b":[1,"\u00fc"],"__proto__":2} true ["default"]\n'


JSON_MISTAKES = {
    "without its type": (
        "import a from './a.json';",
        "program.js:1:15: './a.json' is JSON, so import it with { type: 'json' }\n",
    ),
    "that is none": (
        "import a from './bad.json' with { type: 'json' };",
        "program.js:1:15: './bad.json' is not valid JSON: ",
    ),
    "as another type": (
        "import a from './a.json' with { type: 'css' };",
        "program.js:1:15: sparrow does not know the import attribute type: 'css'\n",
    ),
    "with another attribute": (
        "import a from './a.json' with { kind: 'json' };",
        "program.js:1:15: sparrow does not know the import attribute kind: 'json'\n",
    ),
}


@pytest.mark.parametrize("mistake", JSON_MISTAKES)
def test_json_is_refused_in_one_clear_line(mistake: str, run: Run, tmp_path: Path) -> None:
    source, said = JSON_MISTAKES[mistake]
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "bad.json").write_text("{ a: 1 }")
    done = run(source)
    assert said in done.stderr
    assert done.returncode == 2
    words = source.removeprefix("import a from ").removesuffix(";")
    late = words.replace(" with ", ", { with: ") + (" }" if " with " in words else "")
    done = run(f"await import({late}).catch((error) => console.log(error.message));")
    assert done.stdout.startswith(said.partition(": ")[2].strip())
    assert done.stderr == ""


MISTAKES = {
    "a module that does not exist": (
        "1;\nimport './missing.js';",
        2,
        ["program.js:2:8: cannot find module './missing.js'", "import './missing.js';\n       ^"],
    ),
    "a package": (
        "import 'express';",
        2,
        ["cannot find module 'express'; sparrow does not search packages"],
    ),
    "the library's own": ("import 'sparrow:native';", 2, ["cannot find module 'sparrow:native'"]),
    "a part of the library": (
        "import 'sparrow:internal/url';",
        2,
        ["program.js:1:8: cannot find module 'sparrow:internal/url'"],
    ),
    "a module that is imported late": (
        "setTimeout(() => {}, 1e6);\nawait import('./missing.js');",
        1,
        ["Error: cannot find module './missing.js'"],
    ),
    "a syntax error": (
        "const a = 1;\n\tconst a = 2;",
        2,
        ["program.js:2:8: SyntaxError: Identifier 'a'", "\tconst a = 2;\n\t      ^"],
    ),
    "a name that is not exported": (
        "import { nothing } from 'sparrow:http';",
        2,
        ["program.js:1:10: SyntaxError", "does not provide an export named 'nothing'"],
    ),
    "a throw at the top": (
        "function f() {\n  throw new RangeError('too far');\n}\nf();",
        1,
        ["program.js:2:9: RangeError: too far", "        ^", "at f (", "program.js:4:1"],
    ),
    "a throw behind an await": (
        "setTimeout(() => {}, 1e6);\nawait 1;\nthrow new Error('late');",
        1,
        ["program.js:3:7: Error: late"],
    ),
    "a throw in a timer": ("setTimeout(() => null.x, 1);", 1, ["program.js:1:23: TypeError"]),
    "a rejection that nobody handles": (
        "Promise.reject(new Error('lost')); setTimeout(() => {}, 1e6);",
        1,
        ["program.js:1:16: unhandled rejection: Error: lost"],
    ),
    "a rejection without an error": (
        "setTimeout(() => {}, 1e6);\nPromise.reject({ code: 7 });",
        1,
        ['unhandled rejection: {"code":7}'],
    ),
    "a throw without an error": ("throw 'word';", 1, ["sparrow: word"]),
    "a throw behind a signal": (
        "import { onSignal, pid, sendSignal } from 'sparrow:process';\n"
        "onSignal('SIGUSR1', () => { throw new Error('told'); });\n"
        "setTimeout(() => {}, 1e6);\nsendSignal(pid, 'SIGUSR1');",
        1,
        ["program.js:2:29: Error: told"],
    ),
    "an await that never ends": (
        "1;\nawait new Promise(() => {});",
        1,
        ["program.js:2:1: this await never ends"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_placed(mistake: str, run: Run) -> None:
    source, status, said = MISTAKES[mistake]
    done = run(source)
    for words in said:
        assert words in done.stderr
    assert done.returncode == status


def test_a_handled_rejection_is_no_mistake(run: Run) -> None:
    done = run(
        "const p = Promise.reject(new Error('x')); try { await p; } catch { console.log('ok'); }"
    )
    assert (done.stdout, done.stderr, done.returncode) == ("ok\n", "", 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.js"], "there is no file 'nowhere.js'"),
        ([], "the command names no file to run"),
        (["--fast", "a.js"], "there is no option '--fast'"),
        (["--workers=2", "--threads=2", "a.js"], "--workers and --threads can be given only once"),
        (["--workers=2", "--workers=3", "a.js"], "--workers and --threads can be given only once"),
        (["--heap=much", "a.js"], "--heap needs a size such as 64m"),
        (["--v8=--jitless --fast", "-p", "1"], "V8 has no flag '--fast'"),
    ],
)
def test_a_wrong_command_is_one_line(words: list[str], said: str, sparrow: Path) -> None:
    done = subprocess.run(
        [sparrow, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.stderr.startswith(f"sparrow: {said}")
    assert done.stderr.count("\n") == 1
    assert done.returncode == 2


def test_a_full_heap_is_one_line(run: Run) -> None:
    done = run("const all = []; for (;;) all.push(new Array(1000).fill(0.5));", "--heap=32m")
    assert done.stderr == (
        "sparrow: out of memory: the heap's limit is 32 MiB; raise it with --heap\n"
    )
    assert done.returncode == 1


def test_errors_that_are_causes_of_each_other_are_printed(run: Run) -> None:
    done = run("const e = new Error('a'); e.cause = new Error('b', { cause: e }); console.log(e);")
    causes = [line for line in done.stdout.splitlines() if not line.startswith("    at ")]
    assert causes == ["Error: a", "cause: Error: b", "cause: [circular]"], done.stderr


def test_check_runs_nothing(run: Run) -> None:
    done = run("console.log('ran');", "--check")
    assert (done.stdout, done.returncode) == ("", 0)
    assert run("import './missing.js';", "--check").returncode == 2


def test_timers_come_in_order(run: Run) -> None:
    done = run(
        "const said = [];\n"
        "const end = () => { if (n === 3 && said.at(-1) === 'c') console.log(said.join(), n); };\n"
        "setTimeout(() => { said.push('c'); end(); }, 800);\n"
        "setTimeout(() => said.push('b'), 400);\n"
        "clearTimeout(setTimeout(() => said.push('never'), 1));\n"
        "setTimeout(() => { said.push('a'); Promise.resolve().then(() => said.push('a2')); }, 0);\n"
        "let n = 0;\n"
        "const i = setInterval(() => { if (++n === 3) clearInterval(i); end(); }, 1);\n"
        "setTimeout(() => {}, 1e9).unref();"
    )
    assert done.stdout == "a,a2,b,c 3\n", done.stderr


def test_the_preload_does_not_reach_children(run: Run) -> None:
    """Programs that sparrow starts must not load sparrow's preload."""
    done = run("console.log(process.env.LD_PRELOAD, process.env.SPARROW_HOME);")
    assert done.stdout == "undefined undefined\n"


@pytest.mark.parametrize(
    "call", ["readBytes(name)", "readText(name)", "write(name, '')", "list(name)", "status(name)"]
)
def test_a_path_that_the_system_would_cut_is_refused(call: str, run: Run) -> None:
    done = run(
        "import { list, readBytes, readText, status, write } from 'sparrow:files';\n"
        "const name = `${import.meta.filename}\\0.html`;\n"
        f"try {{ {call}; }} catch (error) {{ console.log(error.name, error.message); }}"
    )
    assert "TypeError a path must not contain a null character" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "await tcp.connect(host, 1)",
        "tcp.listen({ host }, () => {})",
        "serve({ host }, () => '')",
        "await tcp.connect('127.0.0.1', 1, { tls: { servername: host } })",
    ],
)
def test_a_host_that_the_system_would_cut_is_refused(call: str, run: Run) -> None:
    done = run(
        "import { serve } from 'sparrow:http';\nimport * as tcp from 'sparrow:tcp';\n"
        "const host = '127.0.0.1\\0.example';\n"
        f"try {{ {call}; }} catch (error) {{ console.log(error.name, error.message); }}\n"
        "process.exit();"
    )
    assert "TypeError a host must not contain a null character" in done.stdout, done.stderr


def test_a_handler_of_one_signal_is_called_once(run: Run) -> None:
    done = run(
        "import { pid, sendSignal } from 'sparrow:process';\n"
        "process.once('SIGUSR1', () => console.log('told'));\n"
        "for (let i = 0; i < 3; i++) {\n"
        "  sendSignal(pid, 'SIGUSR1');\n"
        "  await new Promise((resolve) => setTimeout(resolve, 5));\n"
        "}"
    )
    assert done.stdout == "told\n", done.stderr


def test_an_exit_without_a_status_has_the_status_that_was_set(run: Run) -> None:
    ends = ["process.exit()", "exit()", "process.exit(0)", "exit(3)"]
    source = "import { exit } from 'sparrow:process'; process.exitCode = 1;"
    assert [run(f"{source} {end};").returncode for end in ends] == [1, 1, 0, 3]


def test_a_signal_of_another_process_is_no_key_that_was_pressed_twice(run: Run) -> None:
    """Two SIGINT before the loop looks: from who started it, beside that of the terminal."""
    done = run(
        "import { pid, sendSignal } from 'sparrow:process';\n"
        "process.once('SIGINT', () => console.log('told'));\n"
        "for (let i = 0; i < 2; i++) sendSignal(pid, 'SIGINT');\n"
        "await new Promise((resolve) => setTimeout(resolve, 5));\n"
    )
    assert (done.stdout, done.returncode) == ("told\n", 0), done.stderr


def test_a_listener_without_descriptors_refuses_and_does_not_spin(
    sparrow: Path, tmp_path: Path
) -> None:
    program = tmp_path / "program.js"
    program.write_text(
        "import { listen } from 'sparrow:tcp';\n"
        "const all = listen({ port: 0 }, () => {});\n"
        "console.log(all.port);\n"
        "setTimeout(() => { const { user, system } = process.cpuUsage();\n"
        "  console.log((user + system) / 1000); process.exit(0); }, 1000);\n"
    )
    words = ["sh", "-c", 'ulimit -n 20 && exec "$0" "$@"', str(sparrow), str(program)]
    with subprocess.Popen(words, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        port = int(process.stdout.readline())
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(30)]
        cpu_ms = float(process.stdout.readline())
        said = process.stderr.read()
        for client in clients:
            client.close()
    assert said.count("too few file descriptors") == 1
    assert cpu_ms < 300


def test_workers_answer_and_end(run: Run) -> None:
    done = run(
        "import { startWorkers, worker } from 'sparrow:workers';\n"
        "import { exit } from 'sparrow:process';\n"
        "if (worker) {\n"
        "  worker.channel.hold(true);\n"
        "  worker.channel.onmessage = (value) => worker.channel.send(value * (worker.index + 1));\n"
        "} else {\n"
        "  const all = startWorkers(2);\n"
        "  const answers = await Promise.all(all.map((one) => new Promise((resolve) => {\n"
        "    one.onmessage = resolve; one.send(21);\n"
        "  })));\n"
        "  for (const one of all) one.signal('SIGTERM');\n"
        "  console.log(answers, await Promise.all(all.map((one) => one.ended)));\n"
        "}"
    )
    assert done.stdout == "[21, 42] [143, 143]\n", done.stderr


def test_a_signal_to_an_ended_worker_is_nothing(run: Run) -> None:
    done = run(
        "import { startThreads, startWorkers, worker } from 'sparrow:workers';\n"
        "if (!worker) for (const one of [...startWorkers(1), ...startThreads(1)]) {\n"
        "  await one.ended;\n"
        "  one.signal('SIGTERM');\n"
        "}"
    )
    assert (done.stderr, done.returncode) == ("", 0)


@pytest.mark.parametrize(
    ("mistake", "place", "what"),
    [
        ("http.serve({ port: 70000 }, () => '');", "2:6", "RangeError: port must be"),
        ("await fetch('http://127.0.0.1:1');", "2:1", "TypeError: http://127.0.0.1:1 cannot be"),
    ],
)
def test_an_error_of_the_library_is_reported_at_the_programs_line(
    mistake: str, place: str, what: str, run: Run, tmp_path: Path
) -> None:
    done = run(f"import * as http from 'sparrow:http';\n{mistake}\n")
    first, second, *_ = done.stderr.splitlines()
    assert first.startswith(f"{tmp_path}/program.js:{place}: {what}")
    assert (second, done.returncode) == (mistake, 1)


def test_an_error_of_a_connection_names_its_address(run: Run) -> None:
    for address in ("'127.0.0.1', 1", "'/nowhere'"):
        done = run(f"import {{ connect }} from 'sparrow:tcp'; await connect({address});")
        place = address.replace("', ", " port ").strip("'")
        assert f" Error: {place} cannot be reached: " in done.stderr.splitlines()[0]
