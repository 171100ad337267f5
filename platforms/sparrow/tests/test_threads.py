"""Tests of threads: an isolate and an event loop each, in one process."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from runfair.serving.address import free_port

from .conftest import LIMIT_S, Run, Served

KINDS = ("--threads=3", "--workers=3")
SERVER = """
import { serve } from 'sparrow:http';
import { onSignal, pid } from 'sparrow:process';
import { worker } from 'sparrow:workers';
import { sleep } from 'sparrow:timers';
const server = serve({ port: Number(process.argv[2]), share: true }, async ({ path }) => {
  if (path === '/slow') { console.log('begun'); await sleep(500); }
  return `${worker.index} ${pid}`;
});
onSignal('SIGTERM', async () => { await server.stop(); console.log('stopped', worker.index); });
console.log('ready');
"""
# A program for Node, which sparrow and Node itself run.
MESSAGES = """
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
if (isMainThread) {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const values = [
    new Map([[1, /x/g]]), new Error('a'), 2n ** 70n, [undefined, -0], 'ü', new Date(0),
  ];
  for (const n of [1, 2]) {
    const worker = new Worker(new URL(import.meta.url), { workerData: { n, shared } });
    const ended = new Promise((resolve) => worker.on('exit', resolve));
    const told = await new Promise((resolve) => {
      worker.once('message', ({ n, ...rest }) => {
        worker.postMessage(values);
        resolve([n, rest]);
      });
    });
    const back = await new Promise((resolve) => worker.once('message', resolve));
    const status = await ended;
    console.log(JSON.stringify([told, back, status, shared[0]]));
  }
} else {
  Atomics.add(workerData.shared, 0, workerData.n);
  parentPort.postMessage({ n: workerData.n, b: new Uint8Array([1, 2]) });
  parentPort.once('message', ([map, error, big, list, text, date]) => {
    parentPort.postMessage([
      map.get(1).source, error instanceof Error, error.message, String(big), 0 in list,
      Object.is(list[1], -0), text, date.getTime(),
    ]);
  });
}
"""


@pytest.mark.parametrize("kind", KINDS)
def test_one_program_serves_in_threads_and_in_processes(
    kind: str, sparrow: Path, tmp_path: Path
) -> None:
    """A request that is being answered when SIGTERM arrives is answered, by all of them."""
    (tmp_path / "server.js").write_text(SERVER)
    port = free_port()
    with subprocess.Popen(
        [sparrow, kind, tmp_path / "server.js", str(port)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert [process.stdout.readline() for _ in range(3)] == ["ready\n"] * 3
            served = Served(process, port)
            head = b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            answers = {served.ask(b"GET /" + head).splitlines()[-1] for _ in range(60)}
            assert len(answers) == 3
            # Threads have the process id in common; processes do not.
            assert len({answer.split()[1] for answer in answers}) == (1 if "thr" in kind else 3)
            with served.connect() as slow:
                slow.sendall(b"GET /slow" + head)
                assert process.stdout.readline() == "begun\n"
                process.send_signal(signal.SIGTERM)
                assert slow.makefile("rb").read().startswith(b"HTTP/1.1 200 ")
            ended = sorted(process.stdout.read().splitlines())
            assert ended == ["stopped 0", "stopped 1", "stopped 2"]
            assert process.wait(LIMIT_S) == 0
        finally:
            process.kill()


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_that_does_not_ask_who_it_is_hears_signals(
    kind: str, sparrow: Path, tmp_path: Path
) -> None:
    """It imports nothing that has to do with workers."""
    (tmp_path / "program.js").write_text(
        "import { onSignal } from 'sparrow:process';\n"
        "const waits = setInterval(() => {}, 1000);\n"
        "onSignal('SIGTERM', () => { clearInterval(waits); console.log('heard'); });\n"
        "console.log('ready');\n"
    )
    with subprocess.Popen(
        [sparrow, kind, tmp_path / "program.js"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert [process.stdout.readline() for _ in range(3)] == ["ready\n"] * 3
            process.send_signal(signal.SIGTERM)
            assert process.wait(LIMIT_S) == 0
            assert process.stdout.read() == "heard\n" * 3
        finally:
            process.kill()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("mistake", "said", "status"),
    [
        ("await null; throw new Error('oh');", "Error: oh", 1),
        ("setTimeout(() => { null.f(); });", "TypeError: Cannot read properties of null", 1),
        ("Promise.reject(new Error('oh'));", "unhandled rejection: Error: oh", 1),
        ("await new Promise(() => {});", "this await never ends", 1),
        ("const all = []; for (;;) all.push(new Array(1000).fill(1.5));", "out of memory: the", 1),
        ("process.exitCode = 7; clearTimeout(timer);", "", 7),
    ],
)
def test_a_mistake_of_one_ends_all(
    kind: str, mistake: str, said: str, status: int, sparrow: Path, tmp_path: Path
) -> None:
    program = tmp_path / "program.js"
    if "never" not in said:
        mistake = (
            "const timer = setTimeout(() => {}, 600000);"
            "process.on('SIGTERM', () => clearTimeout(timer));"
            f"if (worker.index === 1) {{ {mistake} }}"
        )
    program.write_text(f"import {{ worker }} from 'sparrow:workers'; {mistake}")
    done = subprocess.run(
        [sparrow, "--heap=32m", kind, program],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert said in done.stderr
    if said and "thr" in kind:
        assert f"thread {done.stderr.partition('thread ')[2][:1]}: {said}" in done.stderr
    assert (done.returncode, bool(done.stderr)) == (status, bool(said))


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("sendSignal(pid, 'SIGKILL')", "sparrow: worker 1 was killed by signal 9\n"),
        ("process.exit(137)", ""),
    ],
)
def test_a_worker_that_a_signal_kills_is_reported_and_ends_all(
    end: str, said: str, sparrow: Path, tmp_path: Path
) -> None:
    (tmp_path / "program.js").write_text(
        "import { pid, sendSignal } from 'sparrow:process';\n"
        "import { worker } from 'sparrow:workers';\n"
        "setTimeout(() => {}, 600000);\n"
        f"if (worker.index === 1) {end};\n"
    )
    done = subprocess.run(
        [sparrow, "--workers=2", tmp_path / "program.js"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stderr == said
    assert done.returncode == 137


def test_workers_end_with_the_process_that_has_started_them(sparrow: Path, tmp_path: Path) -> None:
    (tmp_path / "program.js").write_text(
        "setTimeout(() => console.log('went on'), 20000);\nconsole.log('ready');\n"
    )
    with subprocess.Popen(
        [sparrow, "--workers=1", tmp_path / "program.js"], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.kill()
        # Until the worker has ended, too.
        assert process.stdout.read() == ""


def test_a_message_that_json_cannot_hold_is_refused_where_it_is_sent(run: Run) -> None:
    done = run(
        "import { startWorkers, worker } from 'sparrow:workers';\n"
        "if (!worker) startWorkers(1)[0].onmessage = console.log;\n"
        "else for (const value of [undefined, () => {}, null]) {\n"
        "  try { worker.channel.send(value); }\n"
        "  catch ({ message }) { worker.channel.send(message); }\n"
        "}"
    )
    refused = "a message must be a value that JSON can hold\n"
    assert (done.stdout, done.stderr) == (f"{refused}{refused}null\n", "")


def test_threads_answer_and_are_held(run: Run) -> None:
    done = run(
        "import { startThreads, worker } from 'sparrow:workers';\n"
        "import { onSignal } from 'sparrow:process';\n"
        "if (worker) {\n"
        "  await null;\n"
        "  const { channel, index } = worker;\n"
        "  channel.hold(true);\n"
        "  channel.onmessage = (value) => channel.send(value.get(1) + index);\n"
        "  onSignal('SIGUSR1', () => { channel.close(); process.exitCode = index; });\n"
        "  channel.send('ready');\n"
        "} else {\n"
        "  const next = (one) => new Promise((resolve) => { one.onmessage = resolve; });\n"
        "  const all = startThreads(3);\n"
        "  await Promise.all(all.map(next));\n"
        "  const answers = all.map(next);\n"
        "  for (const one of all) one.send(new Map([[1, 40n]]).set(1, 40));\n"
        "  console.log(await Promise.all(answers));\n"
        "  for (const one of all) one.signal('SIGUSR1');\n"
        "  console.log(await Promise.all(all.map((one) => one.ended)));\n"
        "}"
    )
    assert done.stdout == "[40, 41, 42]\n[0, 1, 2]\n", done.stderr


def test_a_thread_that_ends_leaves_no_descriptor(sparrow: Path, tmp_path: Path) -> None:
    """It has a server and an open connection."""
    (tmp_path / "thread.js").write_text(
        "import { serve } from 'sparrow:http';\n"
        "import { connect } from 'sparrow:tcp';\n"
        "import { parentPort } from 'node:worker_threads';\n"
        "const server = serve({ port: 0 }, () => '');\n"
        "await connect('127.0.0.1', server.port);\n"
        "parentPort.postMessage('serves');\n"
    )
    (tmp_path / "program.mjs").write_text(
        "import { readdirSync } from 'node:fs';\n"
        "import { Worker } from 'node:worker_threads';\n"
        "const round = async () => {\n"
        "  const worker = new Worker(new URL('thread.js', import.meta.url));\n"
        "  const ended = new Promise((resolve) => worker.on('exit', resolve));\n"
        "  await new Promise((resolve) => worker.once('message', resolve));\n"
        "  await worker.terminate();\n"
        "  await ended;\n"
        "  return readdirSync('/proc/self/fd').length;\n"
        "};\n"
        "const first = await round();\n"
        "for (let i = 0; i < 10; i++) await round();\n"
        "console.log((await round()) - first);\n"
    )
    done = subprocess.run(
        [sparrow, tmp_path / "program.mjs"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_an_argument_of_one_letter_is_no_option(sparrow: Path) -> None:
    done = subprocess.run([sparrow, "-p", "1"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_messages_are_those_of_node(sparrow: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.mjs"
    program.write_text(MESSAGES)
    asked = [str(sparrow), "-p", "process.execPath"]
    launcher = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    answers = [
        subprocess.run(
            [str(command), str(program)],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=True,
        ).stdout
        for command in (sparrow, Path(launcher).with_name("engine"))
    ]
    assert answers[0] == answers[1]
    assert answers[0].count("\n") == 2


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("new Worker(FILE).postMessage(() => {});", "could not be cloned"),
        ("new Worker(FILE).postMessage(1, [new ArrayBuffer(1)]);", "cannot transfer them"),
        ("new Worker('./none.js');", "none.js"),
    ],
)
def test_what_threads_cannot_do_is_said(source: str, said: str, run: Run) -> None:
    head = "import { Worker } from 'node:worker_threads'; const FILE = './other.js';"
    done = run(head + source, other="setTimeout(() => {}, 600000);")
    assert said in done.stderr
    assert done.returncode in (1, 2)


def test_a_terminated_thread_ends_with_its_sockets_and_threads(run: Run) -> None:
    done = run(
        "import { Worker } from 'node:worker_threads';\n"
        "import { connect } from 'sparrow:tcp';\n"
        "for (let i = 0; i < 5; i++) {\n"
        "  const thread = new Worker('./other.js');\n"
        "  const port = await new Promise((resolve) => thread.once('message', resolve));\n"
        "  await connect('127.0.0.1', port);\n"
        "  console.log(await thread.terminate());\n"
        "  console.log(await connect('127.0.0.1', port).catch(({ code }) => code));\n"
        "}\n"
        "process.exit();",
        other="import { serve } from 'sparrow:http';\n"
        "import { listen } from 'sparrow:tcp';\n"
        "import { isMainThread, parentPort, threadId, Worker } from 'node:worker_threads';\n"
        "const server = serve({}, () => '');\n"
        "listen({}, () => {});\n"
        "setInterval(() => {}, 1);\n"
        "if (threadId % 2) { new Worker('./other.js').once('message', () =>\n"
        "  parentPort.postMessage(server.port)); } else parentPort.postMessage(server.port);\n",
    )
    assert done.stdout == "1\nECONNREFUSED\n" * 5, done.stderr


@pytest.mark.parametrize("word", ["--threads=0", "--threads=x", "--workers=", "--workers=2000"])
def test_a_wrong_number_of_threads_is_refused(word: str, run: Run) -> None:
    done = run("", word)
    assert done.returncode == 2
    assert "needs a number from 1 to 1024" in done.stderr


def test_a_signal_of_the_process_goes_to_the_main_thread(serve: Callable[[str], Served]) -> None:
    served = serve(
        "import { startThreads, worker } from 'sparrow:workers';\n"
        "import { onSignal } from 'sparrow:process';\n"
        "const name = worker ? 'thread' : 'main';\n"
        "if (worker) { setTimeout(() => {}, 600000); worker.channel.send('ready'); }\n"
        "else startThreads(1)[0].onmessage = () => console.log(1);\n"
        "onSignal('SIGTERM', () => { console.log(name); process.exit(); });"
    )
    served.process.send_signal(signal.SIGTERM)
    assert served.process.stdout is not None
    assert served.process.stdout.read() == "main\n"
