"""The inspector: a client of the DevTools protocol attaches to programs."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runfair.serving.address import free_ports

from .devtools import LIMIT_S, DevTools, Event
from .virtual_functions import virtual_functions

SOURCES = Path(__file__).parents[1] / "src"
LISTENS = re.compile(r"Debugger listening on (ws://\S+)\n")
# Waits for a debugger, without a port of its own.
IDLE = "setInterval(() => {}, 1000);"
# Classes of V8: which of the engine's classes derive from them, and how many functions they have.
CLASSES = {
    "V8InspectorSession": ("v8_inspector::V8InspectorSessionImpl", 19),
    "V8InspectorClient": ("node::inspector::NodeInspectorClient", 34),
    "V8Inspector": ("v8_inspector::V8InspectorImpl", 26),
}
CALLED = """\
function area(width, height) {
  const product = width * height;
  return product;
}
setInterval(() => console.log(area(6, 7)), 10);
"""


class Inspected:
    """A program that listens for debuggers."""

    def __init__(self, process: subprocess.Popen[str], file: Path) -> None:
        self.process = process
        self.url = file.as_uri()
        self.lines: list[str] = []
        self.clients: list[DevTools] = []
        self.address = self.line(LISTENS)[1]

    def line(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """The first line of standard error that the pattern matches."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            if found := pattern.search(line):
                return found
        raise AssertionError(self.lines)

    def attach(self) -> DevTools:
        client = DevTools(self.address)
        self.clients.append(client)
        return client

    @property
    def place(self) -> str:
        return self.address.removeprefix("ws://").split("/")[0]

    def get(self, path: str, **headers: str) -> Any:
        request = urllib.request.Request(f"http://{self.place}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
            return json.load(answer)

    def end(self, client: DevTools) -> int:
        client.close()
        return self.process.wait(LIMIT_S)

    def kill(self) -> None:
        for client in self.clients:
            client.close()
        self.process.kill()


Start = Callable[..., Inspected]


@pytest.fixture
def inspect(sparrow: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts a source with the option `--inspect`, or another."""
    with contextlib.ExitStack() as started:

        def start(source: str, *options: str, name: str = "program.js") -> Inspected:
            program = tmp_path / name
            program.write_text(source, encoding="utf-8")
            process = subprocess.Popen(
                [sparrow, *(options or ["--inspect=0"]), program],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            started.enter_context(process)
            started.callback(process.kill)
            inspected = Inspected(process, program)
            started.callback(inspected.kill)
            return inspected

        yield start


@pytest.fixture
def engine(sparrow: Path) -> Path:
    """Node's executable."""
    asked = [str(sparrow), "-p", "process.execPath"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).with_name("engine").resolve()


def paused_in(client: DevTools, program: Inspected, line: int) -> Event:
    """The frame in which a breakpoint at a line, counted from 0, pauses."""
    client.call("Runtime.enable")
    client.call("Debugger.enable")
    client.call("Debugger.setBreakpointByUrl", lineNumber=line, url=program.url)
    frame: Event = client.event("Debugger.paused")["callFrames"][0]
    return frame


def test_pages_and_evaluation(inspect: Start) -> None:
    program = inspect(IDLE)
    (listed,) = program.get("/json/list")
    assert listed["webSocketDebuggerUrl"] == program.address
    assert listed["url"] == program.url
    assert program.get("/json") == [listed]
    assert program.get("/json/version", Host="localhost:9229")["Protocol-Version"] == "1.3"
    client = program.attach()
    assert client.evaluate("6 * 7") == 42
    assert client.evaluate("'é€😀'.length + process.argv[1].slice(-10)") == "4program.js"
    assert client.evaluate("'é€😀'") == "é€😀"
    later = "new Promise((resolve) => setTimeout(resolve, 5, 'late'))"
    assert client.evaluate(later, awaitPromise=True) == "late"
    with pytest.raises(ConnectionError, match="409"):
        program.attach()
    client.close()
    program.process.send_signal(signal.SIGTERM)
    assert program.process.wait(LIMIT_S) == -signal.SIGTERM


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:9229", "a:b:1"])
def test_a_host_that_only_another_site_names_is_refused(inspect: Start, host: str) -> None:
    program = inspect(IDLE)
    with pytest.raises(urllib.error.HTTPError, match="400"):
        program.get("/json/list", Host=host)


def test_a_breakpoint_and_steps(inspect: Start) -> None:
    program = inspect(CALLED, name="a program.js")
    client = program.attach()
    frame = paused_in(client, program, 2)
    assert frame["functionName"] == "area"
    scope = frame["scopeChain"][0]["object"]["objectId"]
    properties = client.call("Runtime.getProperties", objectId=scope)["result"]
    assert {each["name"]: each["value"]["value"] for each in properties} == {
        "width": 6,
        "height": 7,
        "product": 42,
    }
    # The server answers while the program is paused.
    program.get("/json/list")
    on_frame = {"callFrameId": frame["callFrameId"], "expression": "product + 1"}
    assert client.call("Debugger.evaluateOnCallFrame", **on_frame)["result"]["value"] == 43
    client.call("Debugger.stepOut")
    frame = client.event("Debugger.paused")["callFrames"][0]
    assert frame["location"]["lineNumber"] == 4
    client.call("Debugger.resume")
    assert client.event("Debugger.paused")["hitBreakpoints"]
    client.call("Debugger.disable")


def test_a_busy_loop_is_paused(inspect: Start) -> None:
    source = "globalThis.stop = false;\nlet i = 0;\nwhile (!stop) i++;\nconsole.log('out');"
    program = inspect(source)
    client = program.attach()
    client.call("Debugger.enable")
    client.call("Debugger.pause")
    assert client.event("Debugger.paused")["callFrames"][0]["location"]["lineNumber"] == 2
    client.evaluate("stop = true")
    client.call("Debugger.resume")
    program.line(re.compile("Waiting for the debugger to disconnect"))
    assert program.end(client) == 0


def test_the_first_line_waits_for_a_debugger(inspect: Start, tmp_path: Path) -> None:
    (tmp_path / "part.js").write_text("export const part = 1;\n")
    source = (
        "import { part } from './part.js';\nimport { serve } from 'sparrow:http';\n"
        "console.log(part, typeof serve);\n//# sourceMappingURL=program.js.map\n"
    )
    program = inspect(source, "--inspect-brk=127.0.0.1:0")
    client = program.attach()
    client.call("Runtime.enable")
    client.call("Debugger.enable")
    client.call("Runtime.runIfWaitingForDebugger")
    paused = client.event("Debugger.paused")
    assert paused["reason"] == "Break on start"
    scripts = client.kept("Debugger.scriptParsed")
    (script,) = [each for each in scripts if each["url"] == program.url]
    assert script["sourceMapURL"] == "program.js.map"
    (first,) = [each for each in scripts if each["url"] == (tmp_path / "part.js").as_uri()]
    assert paused["callFrames"][0]["location"]["scriptId"] == first["scriptId"]
    client.call("Debugger.resume")
    client.event("Runtime.executionContextDestroyed")
    assert program.end(client) == 0
    assert program.process.stdout is not None
    assert program.process.stdout.read() == "1 function\n"


def test_messages_of_the_console(inspect: Start) -> None:
    program = inspect("console.log('before', 1);\n" + IDLE)
    client = program.attach()
    client.call("Runtime.enable")
    called = client.event("Runtime.consoleAPICalled")
    assert [each["value"] for each in called["args"]] == ["before", 1]
    assert called["stackTrace"]["callFrames"][0]["url"] == program.url
    client.evaluate("console.error({ a: 1 })")
    called = client.event("Runtime.consoleAPICalled")
    assert (called["type"], called["args"][0]["type"]) == ("error", "object")
    assert program.process.stdout is not None
    assert program.process.stdout.readline() == "before 1\n"


@pytest.mark.parametrize(
    "how", ["throw error", "Promise.reject(error)", "setTimeout(() => { throw error })"]
)
def test_an_uncaught_exception_is_reported(inspect: Start, how: str) -> None:
    source = f"const error = new RangeError('tööo far €');\nglobalThis.go = () => {{ {how} }};\n"
    program = inspect(source + "const t = setInterval(() => globalThis.now && go(), 1);")
    client = program.attach()
    client.call("Runtime.enable")
    client.evaluate("globalThis.now = true")
    details = client.event("Runtime.exceptionThrown")["exceptionDetails"]
    assert "RangeError: tööo far €" in details["exception"]["description"]
    assert details["stackTrace"]["callFrames"][0]["url"] == program.url
    program.line(re.compile("Waiting for the debugger to disconnect"))
    assert client.call("Profiler.enable") == {}
    assert program.end(client) == 1


def test_a_pause_at_an_uncaught_exception(inspect: Start) -> None:
    caught = "try { null.f(); } catch {}"
    program = inspect(f"setInterval(() => {{ {caught} if (globalThis.now) throw 'no'; }}, 1);")
    client = program.attach()
    client.call("Debugger.enable")
    client.call("Debugger.setPauseOnExceptions", state="uncaught")
    client.evaluate("globalThis.now = true")
    paused = client.event("Debugger.paused")
    assert (paused["reason"], paused["data"]["value"]) == ("exception", "no")


def test_a_profile_names_the_functions(inspect: Start) -> None:
    work = "const end = performance.now() + 5; while (performance.now() < end);"
    program = inspect(f"function burn() {{ {work} }}\nsetInterval(burn, 1);")
    client = program.attach()
    client.call("Profiler.enable")
    for _ in range(100):  # on a busy machine, the program may not run for a tenth of a second
        client.call("Profiler.start")
        client.evaluate("new Promise((r) => setTimeout(r, 100))", awaitPromise=True)
        nodes = client.call("Profiler.stop")["profile"]["nodes"]
        frames = [node["callFrame"] for node in nodes]
        if ("burn", program.url) in [(frame["functionName"], frame["url"]) for frame in frames]:
            return
    pytest.fail(f"no profile names the function: {frames}")


def test_a_snapshot_of_the_heap(inspect: Start) -> None:
    program = inspect("class Rare {}\nglobalThis.rare = new Rare();\n" + IDLE)
    client = program.attach()
    client.call("HeapProfiler.enable")
    client.call("HeapProfiler.startTrackingHeapObjects")
    client.call("HeapProfiler.takeHeapSnapshot", reportProgress=True)
    chunks = client.kept("HeapProfiler.addHeapSnapshotChunk")
    snapshot = json.loads("".join(each["chunk"] for each in chunks))
    assert "Rare" in snapshot["strings"]
    client.event("HeapProfiler.heapStatsUpdate")


@pytest.mark.parametrize("paused", [True, False])
def test_a_debugger_that_vanishes_lets_the_program_go_on(inspect: Start, paused: bool) -> None:
    program = inspect(CALLED)
    for _ in range(3):
        client = program.attach()
        if paused:
            paused_in(client, program, 2)
        client.close()
        assert program.process.stdout is not None
        # More than a pipe holds of the time before the pause.
        assert program.process.stdout.readline() == "42\n"
        attached_again(program)


def attached_again(program: Inspected) -> None:
    """A new client attaches as soon as the server has noticed the end of the last."""
    for _ in range(1000):
        with contextlib.suppress(ConnectionError):
            client = program.attach()
            assert client.evaluate("1 + 1") == 2
            client.close()
            return
    raise AssertionError("the server keeps the client")


def test_a_port_in_use(inspect: Start, sparrow: Path, tmp_path: Path) -> None:
    place = inspect(IDLE).place
    done = subprocess.run(
        [sparrow, f"--inspect={place}", tmp_path / "program.js"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    host, port = place.split(":")
    why = f"{host} port {port} cannot be listened on: Address already in use"
    advice = "end the program that listens there, or choose another port"
    assert done.stderr == f"sparrow: --inspect: {why}; {advice}\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--inspect=:1"], "needs an address"),
        (["--inspect=1:70000"], "needs an address"),
        (["--inspector"], "there is no option '--inspector'"),
        (["--inspect", "--threads=2"], "--inspect shows only the main thread"),
    ],
)
def test_wrong_options(sparrow: Path, tmp_path: Path, options: list[str], why: str) -> None:
    (tmp_path / "program.js").write_text("")
    command = [str(sparrow), *options, str(tmp_path / "program.js")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_many_messages(inspect: Start) -> None:
    program = inspect(IDLE)
    client = program.attach()
    client.call("Runtime.enable")
    flood = "for (let i = 0; i < 3000; i++) console.log(i, 'x'.repeat(500))"
    client.post("Runtime.evaluate", expression=flood)
    numbers = [client.post("Runtime.evaluate", expression=f"{i}") for i in range(500)]
    assert program.process.stdout is not None
    for _ in range(3000):
        program.process.stdout.readline()
    results = [client.answer(number)["result"]["value"] for number in numbers]
    assert results == list(range(500))
    seen = client.kept("Runtime.consoleAPICalled")
    assert [each["args"][0]["value"] for each in seen] == list(range(3000))


def test_workers_have_the_next_ports(inspect: Start) -> None:
    port, *_ = free_ports(3)
    program = inspect(IDLE, "--workers=2", f"--inspect={port}")
    other = program.line(LISTENS)[1]
    places = {address.split("/")[2] for address in (program.address, other)}
    assert places == {f"127.0.0.1:{port + 1}", f"127.0.0.1:{port + 2}"}
    program.process.send_signal(signal.SIGTERM)
    program.process.wait(LIMIT_S)


@pytest.mark.parametrize(("end", "status"), [("", 0), ("process.exit(3);", 3)])
def test_an_ordinary_end(inspect: Start, end: str, status: int) -> None:
    program = inspect(f"console.log('done'); {end}")
    assert program.process.wait(LIMIT_S) == status
    assert program.process.stdout is not None
    assert program.process.stdout.read() == "done\n"


def test_an_end_that_the_debugger_asks_for(inspect: Start) -> None:
    program = inspect(IDLE)
    client = program.attach()
    client.post("Runtime.evaluate", expression="process.exit(3)")
    program.line(re.compile("Waiting for the debugger to disconnect"))
    assert program.end(client) == 3


def test_the_declarations_match_the_engine(engine: Path) -> None:
    """The virtual functions of the engine's classes have the declared names and order."""
    text = re.sub(r"//.*", "", (SOURCES / "inspector_interface.hpp").read_text())
    found = virtual_functions(engine, [each for each, _ in CLASSES.values()])
    for own, (engines, count) in CLASSES.items():
        body = text[text.index(f"class {own} {{") :]
        # The class Channel within a class is another one.
        body = body[: body.index("\n};")]
        body = re.sub(r"class Channel \{.*?\n    \};", "", body, flags=re.DOTALL)
        declared = []
        for name in re.findall(r"\bvirtual [^;{(]*?(~?\w+)\(", body):
            declared += ["~", "~"] if name.startswith("~") else [name]
        assert len(declared) == count
        assert found[engines][:count] == declared


def test_another_engine_is_refused(engine: Path, tmp_path: Path) -> None:
    headers = engine.parents[1] / "include/node"
    other = (headers / "v8-version.h").read_text().replace("PATCH_LEVEL 34", "PATCH_LEVEL 35")
    (tmp_path / "v8-version.h").write_text(other)
    header = str(SOURCES / "inspector_interface.hpp")
    source = ["-std=c++20", "-E", header, "-o", str(tmp_path / "out")]
    refusal = "is for V8 14.6.202.34: compare"
    for folders, message in (([headers], ""), ([tmp_path, headers], refusal)):
        words = [word for folder in folders for word in ("-isystem", str(folder))]
        done = subprocess.run(["g++", *words, *source], capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == (message == "")
        assert message in done.stderr
