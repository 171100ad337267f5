"""Tests of the REPL: by a pipe, and at a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

LIMIT_S = 60


def answers(sparrow: Path, typed: str, folder: Path | None = None) -> tuple[str, int]:
    """What a session prints whose input is a pipe, and its exit status."""
    done = subprocess.run(
        [sparrow, "--repl"],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout, done.returncode


SESSIONS = {
    "values": (
        "1 + 1\n'a\"b'\n[1, 'x']\n{ a: 1 }\nundefined\n",
        '2\n"a\\"b"\n[1, "x"]\n{ a: 1 }\nundefined\n',
    ),
    "bindings stay": (
        "let a = 1; const b = 2\nfunction f() { return a + b }\na = 5\nf()\n",
        "5\n7\n",
    ),
    "bindings are the same for all": (
        "let n = 0; function up() { n++; return n }\nup(); up()\nn\nn = 10; up()\n",
        "2\n2\n11\n",
    ),
    "a name may be declared again": ("const a = 1\nconst a = 2\nlet a = 3; a\n", "3\n"),
    "names that the session might use itself": (
        "const set = new Set([1]); let $ = 2\n$ = 3\n[set.size, $]\n",
        "3\n[1, 3]\n",
    ),
    "patterns": ("const { x, y: [z] } = { x: 1, y: [2] }\nx + z\n", "3\n"),
    "classes": ("class A {\n  get one() { return 1; }\n}\nnew A().one\n", "1\n"),
    "await": ("const a = await Promise.resolve(20)\nawait (async () => a + 1)()\n", "21\n"),
    "statements end with a value": ("let a = 2; a * 3\nif (a) a = 9\na\n", "6\n9\n"),
    "the last value": ("6 * 7\n_ + 1\n", "42\n43\n"),
    "several lines": ("[1,\n2,\n3]\n`a\nb`\nMath.max(\n  1,\n)\n", '[1, 2, 3]\n"a\\nb"\n1\n'),
    "brackets in words are none": ("'('\n/[(]/.test('(')\n1 // {\n", '"("\ntrue\n1\n'),
    "a method on the next line": ("(\n[3, 1]\n  .sort()\n)\n", "[1, 3]\n"),
    "modules": (
        "import { toHex } from 'sparrow:crypto'; toHex(new Uint8Array([255]))\n"
        "toHex(new Uint8Array(1))\n",
        '"ff"\n"00"\n',
    ),
    "a promise is not awaited": ("Promise.resolve(1)\n", "Promise {}\n"),
}


@pytest.mark.parametrize("session", SESSIONS)
def test_a_session(session: str, sparrow: Path) -> None:
    typed, printed = SESSIONS[session]
    assert answers(sparrow, typed) == (printed, 0)


def test_what_fails_leaves_the_session(sparrow: Path) -> None:
    typed = (
        "function f() { throw new RangeError('far') }\nf()\nnothing\n1 +* 2\nthrow 'word'\n"
        "setTimeout(() => null.x, 1); await new Promise((done) => setTimeout(done, 20))\n"
        "Promise.reject(new Error('lost')); 1\nconst c = 1\nc = 2\nimport 'express'\n'still'\n"
    )
    printed, status = answers(sparrow, typed)
    lines = printed.splitlines()
    assert [line for line in lines if not line.startswith("    at ")] == [
        "Uncaught RangeError: far",
        "Uncaught ReferenceError: nothing is not defined",
        "Uncaught SyntaxError: Unexpected token '*'",
        "Uncaught word",
        "Uncaught TypeError: Cannot read properties of null (reading 'x')",
        "undefined",
        "1",
        "Uncaught Error: lost",
        "Uncaught TypeError: Assignment to constant variable.",
        "Uncaught Error: cannot find module 'express'; sparrow does not search packages, so "
        "import a file by its path",
        '"still"',
    ]
    assert re.match(r"    at f \(.*repl-\d+:\d+:\d+\)", lines[1])
    assert "sparrow:internal/repl" not in printed
    assert status == 1


def test_an_await_that_never_ends_ends_the_session(sparrow: Path) -> None:
    assert answers(sparrow, "1\nawait new Promise(() => {})\n2\n") == ("1\n", 1)


def test_what_is_unfinished_at_the_end_is_a_mistake(sparrow: Path) -> None:
    printed, status = answers(sparrow, "1\nfunction f() {")
    assert printed == "1\nUncaught SyntaxError: Unexpected end of input\n"
    assert status == 1


def test_files_are_imported_from_the_working_folder(sparrow: Path, tmp_path: Path) -> None:
    (tmp_path / "other.js").write_text("export const two = 2; export default 3;")
    typed = "import three, { two as zwei } from './other.js'\nthree + zwei\n"
    assert answers(sparrow, typed, tmp_path) == ("5\n", 0)


def test_no_file_goes_with_it(sparrow: Path) -> None:
    words = [str(sparrow), "--repl", "a.js"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stderr.count("\n"), done.returncode) == (1, 2)
    assert "--repl cannot run a file" in done.stderr


class Terminal:
    """A session at a terminal."""

    def __init__(self, controller: int, pid: int) -> None:
        self.controller = controller
        self.pid = pid
        self.status: int | None = None
        self.received = b""
        self.read = 0  # characters of what is shown

    def type(self, keys: str) -> None:
        os.write(self.controller, keys.encode())

    def until(self, words: str) -> str:
        """What is shown after the last call's words, up to these words, without what moves the
        cursor."""
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            shown = re.sub(r"\x1b\[\d*[A-Za-z]", "", self.received.decode(errors="replace"))
            if (place := shown.find(words, self.read)) >= 0:
                before, self.read = self.read, place + len(words)
                return shown[before : self.read]
            if select.select([self.controller], [], [], 1)[0]:
                self.received += os.read(self.controller, 65536)
        pytest.fail(f"{words!r} is not shown: {self.received!r}")

    def ended(self) -> int | None:
        """The exit status; None while the session goes on."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        return self.status

    def wait(self, keys: str = "") -> int:
        """The exit status, once the session has ended. The keys are typed until then."""
        deadline = time.monotonic() + LIMIT_S
        while (status := self.ended()) is None and time.monotonic() < deadline:
            self.type(keys)
            time.sleep(0.05)
        assert status is not None, "the session does not end"
        return status

    def end(self) -> None:
        if self.ended() is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.controller)


@contextmanager
def terminal(sparrow: Path) -> Iterator[Terminal]:
    """A session whose terminal is its own, so that Control-C becomes a signal."""
    pid, controller = pty.fork()
    if pid == 0:
        os.execv(sparrow, [str(sparrow)])
    session = Terminal(controller, pid)
    try:
        session.until("> ")
        yield session
    finally:
        session.end()


def test_a_line_can_be_edited_and_comes_again(sparrow: Path) -> None:
    with terminal(sparrow) as session:
        session.type("40 + 3\x7f2\r")
        session.until("\r\n42\r\n")
        session.type("\x1b[A\x1b[D0\r")  # up, and before the last digit
        session.until("> 40 + 02")
        session.until("Uncaught SyntaxError")
        session.type("nonsense\x15'h\u00fc' \x17'\u20ac'\x01\x1b[3~\x1b[3~'\u20ac\x05.length\r")
        session.until("\r\n1\r\n")
        session.type("'" + "x" * 100 + "'.length\r")  # longer than the terminal is wide
        session.until("\r\n100\r\n")


def test_unfinished_lines_go_on_and_can_be_given_up(sparrow: Path) -> None:
    with terminal(sparrow) as session:
        session.type("function f() {\r")
        session.until("\u2026 ")
        session.type("return 7 }\rf()\r")
        session.until("\r\n7\r\n")
        session.type("[1,\r")
        session.until("\u2026 ")
        session.type("\x03")
        session.until("^C\r\n\r> ")
        session.type("8\r")
        session.until("\r\n8\r\n")
        session.type("(\r\r")  # an empty line ends it
        session.until("Uncaught SyntaxError")


def test_an_await_can_be_given_up(sparrow: Path) -> None:
    with terminal(sparrow) as session:
        session.type("await new Promise(() => {})\r9\r")
        session.until("{})\r\n")
        session.type("\x03")
        session.until("\r\n9\r\n")


def test_a_program_that_never_comes_back_can_be_ended(sparrow: Path) -> None:
    with terminal(sparrow) as session:
        session.type("for (;;) {}\r")
        session.until("{}\r\n")
        assert session.wait("\x03") == 128 + signal.SIGINT


def test_who_reads_the_terminal_next_waits_for_keys(sparrow: Path) -> None:
    controller, terminal = pty.openpty()
    with subprocess.Popen([sparrow], stdin=terminal, stdout=terminal) as process:
        shown = b""
        while b"> " not in shown:
            shown += os.read(controller, 65536)
        os.write(controller, b"\x04")
        assert process.wait(LIMIT_S) == 0
    waits = os.get_blocking(terminal)
    os.close(terminal)
    os.close(controller)
    assert waits


def test_control_d_ends_the_session_and_gives_the_terminal_back(sparrow: Path) -> None:
    with terminal(sparrow) as session:
        taken = termios.tcgetattr(session.controller)[3]
        session.type("\x04")
        assert session.wait() == 0
        given_back = termios.tcgetattr(session.controller)[3]
    assert not taken & termios.ICANON
    assert given_back & termios.ICANON and given_back & termios.ECHO
