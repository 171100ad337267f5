"""Debugger and profiler, which are Truffle's own: what they see of a program."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runfair.serving.address import free_port

COMMAND = Path(__file__).parent / "newspeak"
LIMIT_S = 300  # on a busy machine a step takes seconds
PROGRAM = """class Debugged usingPlatform: p = Value (|
  private system = p system.
  private Array = p kernel Array.
|)(
  class Point x: a y: b = (| public x = a. public y = b. |)()
  twice: n = (
    | m |
    m:: n * 2.
    ^ m
  )
  public main: args = (
    | sum list
      point = Point x: 3 y: 4. |
    sum:: 0.
    list:: Array with: #one with: 'two' with: 100000000000000000000.
    1 to: 2 do: [:i |
      sum:: sum + (self twice: i).
    ].
    { 10. 20 } do: [:each |
      sum:: sum + each.
    ].
    system printNewline: sum asString.
    ^ 0
  )
)
"""
IN_LOOP, IN_TWICE, IN_BLOCK = 17, 8, 20


class Debugger:
    """A small client of the Debug Adapter Protocol."""

    def __init__(self, port: int, process: subprocess.Popen[str]) -> None:
        end = time.monotonic() + LIMIT_S
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), LIMIT_S)
            except ConnectionRefusedError:
                assert process.poll() is None, f"the program ended with {process.returncode}"
                assert time.monotonic() < end, "no debugger listens"
                time.sleep(0.2)
                continue
            if self.socket.getsockname() != self.socket.getpeername():
                break
            self.socket.close()  # a port of one's own can be connected to itself
        self.stream = self.socket.makefile("rwb")
        self.count = 0
        self.events: list[dict[str, Any]] = []

    def read(self) -> dict[str, Any]:
        size = 0
        while line := self.stream.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name.lower() == b"content-length" else size
        assert size, "the debugger closed the connection"
        message: dict[str, Any] = json.loads(self.stream.read(size))
        return message

    def request(self, command: str, **arguments: object) -> dict[str, Any]:
        """The body of the answer; the request has to succeed."""
        answer = self.answer(command, **arguments)
        assert answer["success"], answer
        body: dict[str, Any] = answer.get("body", {})
        return body

    def answer(self, command: str, **arguments: object) -> dict[str, Any]:
        self.count += 1
        message = {
            "seq": self.count,
            "type": "request",
            "command": command,
            "arguments": arguments,
        }
        data = json.dumps(message).encode()
        self.stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.stream.flush()
        while (answer := self.read()).get("request_seq") != self.count:
            self.events.append(answer)
        return answer

    def event(self, kind: str) -> dict[str, Any]:
        while True:
            for one in self.events:
                if one.get("event") == kind:
                    self.events.remove(one)
                    body: dict[str, Any] = one.get("body", {})
                    return body
            self.events.append(self.read())

    def breaks(self, program: Path, *lines: int) -> None:
        self.request(
            "setBreakpoints",
            source={"path": str(program)},
            breakpoints=[{"line": line} for line in lines],
        )

    def variables(self, reference: int) -> dict[str, dict[str, Any]]:
        found = self.request("variables", variablesReference=reference)["variables"]
        return {one["name"]: one for one in found}


def debugged(tmp_path: Path, session: Callable[[Debugger, Path], None]) -> tuple[int, str]:
    """The exit status and the output of a program that a session debugs up to its end."""
    program = tmp_path / "Debugged.ns"
    program.write_text(PROGRAM, encoding="utf-8")
    port = free_port()
    process = subprocess.Popen(
        [COMMAND, f"--debug={port}", program], stdout=subprocess.PIPE, text=True
    )
    try:
        debugger = Debugger(port, process)
        session(debugger, program)
        debugger.event("terminated")
        debugger.request("disconnect")
        debugger.stream.close()
        debugger.socket.close()
        output, _ = process.communicate(timeout=LIMIT_S)
        return process.returncode, output
    finally:
        process.kill()
        process.wait()


def check_evaluation(value_of: Callable[[str], str], sum_shown: Callable[[], str]) -> None:
    """Of expressions in the loop of `main:`, which they leave as it was."""
    assert value_of("sum + (i * 10)") == "10"
    assert value_of("point x + (self twice: 4). list size") == "3"
    assert value_of("point x + (self twice: 4)") == "11"
    assert value_of("| m | m:: 6. [:n | n * m ] value: i + 6") == "42"
    assert value_of("^ Point x: sum y: list") == "instance of Point"
    assert value_of("sum:: 5") == sum_shown() == "5"
    assert value_of("sum:: 0") == "0"


def session(debugger: Debugger, program: Path) -> None:
    thread = 0

    def stopped() -> list[tuple[str, int]]:
        """The stack: names and lines, the innermost first."""
        nonlocal thread
        thread = debugger.event("stopped")["threadId"]
        frames = debugger.request("stackTrace", threadId=thread)["stackFrames"]
        assert {frame["source"]["path"] for frame in frames} == {str(program)}
        return [(frame["name"], frame["line"]) for frame in frames]

    def scopes() -> list[dict[str, dict[str, Any]]]:
        frame = debugger.request("stackTrace", threadId=thread)["stackFrames"][0]
        found = debugger.request("scopes", frameId=frame["id"])["scopes"]
        return [debugger.variables(one["variablesReference"]) for one in found]

    def answered(expression: str) -> dict[str, Any]:
        frame = debugger.request("stackTrace", threadId=thread)["stackFrames"][0]
        return debugger.answer("evaluate", expression=expression, frameId=frame["id"])

    def value_of(expression: str) -> str:
        answer = answered(expression)
        assert answer["success"], answer
        return str(answer["body"]["result"])

    debugger.request("initialize", clientID="test", adapterID="newspeak", pathFormat="path")
    debugger.request("attach")
    debugger.event("initialized")
    debugger.breaks(program, IN_LOOP, IN_BLOCK)
    debugger.request("configurationDone")

    assert stopped() == [("Debugged>>#main:", IN_LOOP)]
    (own,) = scopes()
    assert {name: one["value"] for name, one in own.items()} == {
        "self": "instance of Debugged",
        "args": "ValueArray of 1",
        "sum": "0",
        "list": "Array of 3",
        "point": "instance of Point",
        "i": "1",
    }
    elements = debugger.variables(own["list"]["variablesReference"]).values()
    assert [one["value"] for one in elements] == ["#one", "'two'", "100000000000000000000"]
    slots = debugger.variables(own["point"]["variablesReference"])
    assert {name: one["value"] for name, one in slots.items()} == {"x": "3", "y": "4"}

    check_evaluation(value_of, lambda: scopes()[0]["sum"]["value"])
    assert "MessageNotUnderstood(Point>>#foo)" in str(answered("point foo"))
    assert "evaluation:1:7" in str(answered("sum + "))
    assert "'args' is an argument, so it cannot be assigned" in str(answered("args:: 5"))
    for constant in ("point", "i"):
        assert f"'{constant}' is a constant, so it cannot be assigned" in str(
            answered(f"{constant}:: 5")
        )

    debugger.request("stepIn", threadId=thread)
    assert stopped() == [("Debugged>>#twice:", IN_TWICE), ("Debugged>>#main:", IN_LOOP)]
    assert scopes()[0]["m"]["value"] == "nil"
    debugger.request("next", threadId=thread)
    assert stopped()[0] == ("Debugged>>#twice:", IN_TWICE + 1)
    assert scopes()[0]["m"]["value"] == "2"
    debugger.request("stepOut", threadId=thread)
    assert stopped() == [("Debugged>>#main:", IN_LOOP)]
    debugger.request("continue", threadId=thread)
    assert stopped() == [("Debugged>>#main:", IN_LOOP)]
    assert scopes()[0]["i"]["value"] == "2"
    debugger.request("continue", threadId=thread)
    # The array's own method, which is the library's, is not shown.
    assert stopped() == [("Debugged block", IN_BLOCK), ("Debugged>>#main:", IN_BLOCK - 1)]
    block, method = scopes()
    assert (block["each"]["value"], method["sum"]["value"]) == ("10", "6")
    assert value_of("each + sum + list size") == "19"
    debugger.breaks(program)
    debugger.request("continue", threadId=thread)


def test_a_debugger_stops_steps_and_shows_variables(tmp_path: Path) -> None:
    assert debugged(tmp_path, session) == (0, "36\n")


def test_a_port_that_is_none() -> None:
    done = subprocess.run(
        [COMMAND, "--debug=70000", "x.ns"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "--debug=" in done.stderr


def test_a_port_that_another_process_uses(tmp_path: Path) -> None:
    program = tmp_path / "Debugged.ns"
    program.write_text(PROGRAM, encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = used.getsockname()[1]
        done = subprocess.run(
            [COMMAND, f"--debug={port}", program],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"newspeak: port {port} cannot be opened; choose another port with --debug=PORT\n"
    )


def test_the_profile_names_the_hot_method(tmp_path: Path) -> None:
    program = tmp_path / "Hot.ns"
    program.write_text(
        """class Hot usingPlatform: p = Value (| private system = p system. |)(
  fib: n = ( ^ n < 2 ifTrue: [ n ] ifFalse: [ (fib: n - 1) + (fib: n - 2) ] )
  public main: args = ( system printNewline: (fib: 32) asString. ^ 3 )
)
""",
        encoding="utf-8",
    )
    done = subprocess.run(
        [COMMAND, "--profile", program],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "2178309\n")
    row = r"^ (\S+) +\|\| +\d+ms +[\d.]+% \|\| +(\d+)ms "
    own = {name: int(time_ms) for name, time_ms in re.findall(row, done.stderr, re.MULTILINE)}
    assert max(own, key=lambda name: own[name]) == "Hot>>#fib:"


def test_the_profile_of_what_was_typed_waits_for_no_idle_thread() -> None:
    typed = "platform actors after: 1000000 do: []. (platform threading Task spawn: [ 3 ]) join\n"
    with subprocess.Popen(
        [COMMAND, "--profile"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as session:
        try:
            assert session.stdin and session.stdout
            session.stdin.write(typed)
            session.stdin.flush()
            assert session.stdout.readline() == "3\n"
            session.stdin.close()
            assert session.wait(50) == 0  # a thread of a pool waits 60 s for something to do
        finally:
            session.kill()
