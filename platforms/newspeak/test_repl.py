"""The command without a program: it runs what is piped in, or what a person types."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

COMMAND = Path(__file__).parent / "newspeak"
LIMIT_S = 300  # ends a session that hangs; on a busy machine an answer takes seconds
ROWS, COLUMNS = 24, 120
CONTROL_C, CONTROL_D, UP = "\x03", "\x04", "\x1bOA"
pytestmark = pytest.mark.usefixtures("interpreted")


def typed(text: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *options],
        input=text,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def test_values_and_variables(tmp_path: Path) -> None:
    module = tmp_path / "Adder.ns"
    module.write_text("class Adder by: n = (| n = n. |)( public of: x = ( ^ x + n ) )\n")
    lines = {
        "3 + 4": "7",
        "x:: 5": "5",
        "| a b = 7. |": None,
        "a": "nil",
        "a:: b:: x + 1": "6",
        "{a. x. 'it''s'. #at:put:}": "{6. 5. 'it''s'. #at:put:}",
        "[:n | n * x] value: 4": "20",
        "x:: 3. x * x": "9",
        "| x = 2. |": None,  # a new variable: the block below sees this one
        "twice:: [:n | n * x]": "instance of Block",
        "x:: 10": "10",
        "twice value: 4": "40",
        "(Vector with: 1) first": "1",
        "(1 to:\n  4) size": "4",
        "'two\nlines'": "'two\nlines'",
        "1 to: 2 do: [:i |\n\n  i println.\n]": "1\n2\n1",
        "class P = (| public y = 4. |)(\n  public z = ( ^ y * 2 )\n)": "P",
        "P new z": "8",
        "class E = Exception (| public y = 2. |)()": "E",
        "class P = P ()( public w = ( ^ z + 1 ) )": "P",  # inherits from the older P
        "P new w": "9",
        "[ E new signal ] on: E do: [:e | e y]": "2",
        f":load {module}": "Adder",
        "(Adder by: 3) of: 4": "7",
        "literal:: objL (| q = b. |)( public m = ( ^ q + x ) )": "instance of object literal",
        "literal m": "16",
        "objL ()()": "instance of object literal",
        "[ ^ 11 ] value. 12": "11",
        "^ 13": "13",
        "(* only a comment *)": None,
    }
    done = typed("".join(f"{line}\n" for line in lines))
    answers = [answer for answer in lines.values() if answer is not None]
    assert (done.stdout, done.stderr) == ("".join(f"{answer}\n" for answer in answers), "")
    assert done.returncode == 0


def test_mistakes_have_a_place_and_end_no_session(tmp_path: Path) -> None:
    module = tmp_path / "Wrong.ns"
    module.write_text("class Wrong = ()(\n  public of: x = ( ^ x\n    nonsense )\n)\n")
    done = typed(
        f"1 foo\n3 + )\n1 / 0\n:load {module}\nWrong new of: 2\n7 <-: bar\n'x' error: 'no'\n"
        f"nothing:: [:n | (nothing value: n) + 1]\nnothing value: 1\nvm\nouter Foo\n"
        ":nothing\n:load\n:load /nowhere.ns\n'still here'\n(1 +"
    )
    assert done.stderr == (
        "Run-time Error: input 1:1:3: MessageNotUnderstood(Integer>>#foo)\n1 foo\n  ^\n"
        "Run-time Error: input 2:1:5: Expected an expression, but found ')'\n3 + )\n    ^\n"
        "Run-time Error: input 3:1:3: ZeroDivision(1)\n1 / 0\n  ^\n"
        f"Run-time Error: {module}:3:5: MessageNotUnderstood(Integer>>#nonsense)\n"
        "    nonsense )\n    ^\n  called at input 5:1:11\n"
        "Run-time Error: input 6:1:7: MessageNotUnderstood(Integer>>#bar)\n7 <-: bar\n      ^\n"
        "Run-time Error: StackOverflow: the recursion is too deep\n"
        "Run-time Error: input 10:1:1: MessageNotUnderstood(Session>>#vm)\nvm\n^\n"
        "Run-time Error: input 11:1:1: No class 'Foo' encloses this code\nouter Foo\n^\n"
        "There is no command :nothing; :help shows the commands\n"
        ":load needs the name of a file\n"
        "There is no readable file /nowhere.ns\n"
        "Run-time Error: input 13:1:5: Expected an expression, but found the end of the file\n"
        "(1 +\n    ^\n"
    )
    assert done.stdout == "Wrong\nERROR: no\ninstance of Block\n'still here'\n"
    assert done.returncode == 0


def test_promises_are_printed_when_they_are_resolved() -> None:
    done = typed(
        "pair:: actors createPromisePair. 1\npair promise\npair resolve: 42. 2\n"
        "actors after: 50 do: [ 'later' ]\n"
        "class Remote = ()( public of: x = ( ^ x * 2 ) )\n"
        "remote:: (actors createActorFromValue: Remote) <-: new\n"
        "remote <-: of: 21\nremote <-: nonsense\n'end'\n"
    )
    assert done.stdout == (
        "1\nan unresolved promise\n2\n42\n'later'\nRemote\nRemote of another actor\n42\n'end'\n"
    )
    assert "input 8:1:12: MessageNotUnderstood of another actor\nremote <-: nons" in done.stderr


def test_the_program_can_end_the_session() -> None:
    assert typed("system exit: 3\n4\n").returncode == 3
    for _ in range(4):  # how soon the thread that ends the program is idle is a matter of chance
        later = typed("actors after: 10 do: [ system exit: 3 ]\n4\n")
        assert (later.returncode, later.stdout) == (3, "")
    assert typed("1\n:quit\n2\n").stdout == "1\n"
    assert ":load FILE" in typed(":help\n").stdout


def test_without_a_program_and_without_input_the_usage_is_printed() -> None:
    done = typed("")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("usage: newspeak ")
    blank = typed("\n")
    assert (blank.returncode, blank.stdout, blank.stderr) == (0, "", "")


def test_a_replay_without_a_program_is_refused() -> None:
    done = typed("1\n", ("--seed", "1"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "program" in done.stderr


class Terminal:
    """A session on a pseudo-terminal."""

    def __init__(self, private: Path) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        own = os.environ["NEWSPEAK_JAVA_FLAGS"]
        flags = f"{own} -Dnewspeak.history={private / 'history'}"
        self.process = subprocess.Popen(
            ["setsid", "--ctty", COMMAND],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "NEWSPEAK_JAVA_FLAGS": flags},
        )
        os.close(theirs)
        self.shown = b""

    def send(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def until(self, text: str) -> None:
        """Waits until the terminal shows the text, after what was waited for before."""
        end = time.monotonic() + LIMIT_S
        while text.encode() not in self.shown:
            ready, _, _ = select.select([self.ours], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{text!r} is not in {self.shown!r}"
            try:
                self.shown += os.read(self.ours, 4096)
            except OSError:
                pytest.fail(f"the session ended; {text!r} is not in {self.shown!r}")
        self.shown = self.shown.split(text.encode(), 1)[1]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    session = Terminal(tmp_path)
    yield session
    session.process.kill()
    session.process.wait()
    os.close(session.ours)


def test_a_session_on_a_terminal(terminal: Terminal, tmp_path: Path) -> None:
    def answers(text: str, *shown: str) -> None:
        terminal.until("newspeak> ")
        terminal.send(text)
        for one in shown:
            terminal.until(one)

    answers("3 +\r", "........> ")
    terminal.send("5\r")
    terminal.until("8\r\n")
    answers(UP + "0\r", "53\r\n")  # 3 + 50: the last input, and a digit
    answers("'go' println. [ true ] whileTrue: [ nil ]\r", "go\r\n")
    terminal.send(CONTROL_C)
    terminal.until("Interrupted")
    answers("'late' println. actors after: 1000000 do: [ 1 ]\r", "late\r\n")
    terminal.send(CONTROL_C)
    terminal.until("Interrupted")
    # Showing a value runs code of the program, which Ctrl-C ends too.
    answers("class Endless = ()( public asString = ( 'shown' println. [ true ] whileTrue ) )\r")
    for value in ("Endless new", "actors after: 1 do: [ Endless new ]"):
        answers(f"{value}\r", "shown\r\n")
        terminal.send(CONTROL_C)
        terminal.until("Interrupted")
    # So does the report of a broken promise, at the end of the turn that broke it.
    answers(
        "class Wrong = Exception ()( public asString = ( 'told' println. [ true ] whileTrue ) )\r"
    )
    answers("unheard:: Wrong new <-: signal. actors after: 1000000 do: [ 1 ]\r", "told\r\n")
    terminal.send(CONTROL_C)
    terminal.until("Interrupted")
    # And the threads that the turn waits for.
    answers(
        "Thread:: platform threading Thread. Delay:: platform threading Delay. nil\r", "nil\r\n"
    )
    answers(
        "(Thread spawn: [ 'sleeps' println. (Delay forSeconds: 999) wait ]) join\r", "sleeps\r\n"
    )
    terminal.send(CONTROL_C)
    terminal.until("Interrupted")
    answers("forgotten" + CONTROL_C)
    answers("6 * 7\r", "42\r\n")
    answers(CONTROL_D)
    assert terminal.process.wait(LIMIT_S) == 0
    assert "6 * 7" in (tmp_path / "history").read_text(encoding="utf-8")
