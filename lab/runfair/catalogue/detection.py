"""Asking a candidate what it is."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from runfair.catalogue.family import Check, Identify
from runfair.catalogue.search import Candidate

# Five times what the slowest runtime here takes to say its version on a busy machine.
IDENTIFY_LIMIT_S = 5.0
ANSWER_LIMIT_BYTES = 1 << 20


@dataclass(frozen=True)
class Identification:
    """What a candidate said: facts by name, or the reason why there are none.

    `other` says that the candidate answered, but as another implementation than was looked for.
    """

    facts: dict[str, str]
    reason: str = ""
    other: bool = False


def identify(question: Identify, candidate: Candidate) -> Identification:
    """Runs the question's command. Never raises for what a candidate does."""
    command = [part.replace("{executable}", candidate.path) for part in question.command]
    answer = ask(command)
    if answer.failure:
        return Identification({}, f"{candidate.path} {answer.failure}")
    facts: dict[str, str] = {}
    for key, pattern in question.patterns.items():
        match = re.search(pattern, answer.text, re.MULTILINE)
        if match and match.group(1) is not None:
            facts[key] = match.group(1).strip()
    absent = [key for key in question.patterns if key not in facts]
    if "version" not in facts:
        reason = f"{candidate.path} did not print its version"
        return Identification({}, reason, other=len(absent) < len(question.patterns))
    if absent:
        return Identification({}, f"{candidate.path} does not say its {absent[0]}", other=True)
    return Identification(facts)


def passes(check: Check, command: Sequence[str]) -> bool:
    """Whether the command succeeds and says what the check looks for."""
    answer = ask(command)
    return not answer.failure and re.search(check.pattern, answer.text) is not None


@dataclass(frozen=True)
class Answer:
    text: str
    failure: str


def ask(command: Sequence[str]) -> Answer:
    """What a command prints, standard error after standard output, within IDENTIFY_LIMIT_S.

    Nothing of the caller's is inherited that a runtime takes options from. The command gets a
    process group of its own, so that what it starts ends with it.
    """
    environment = {k: v for k, v in os.environ.items() if k not in OPTION_VARIABLES}
    environment |= {"LC_ALL": "C", "GOTOOLCHAIN": "local"}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            return Answer("", f"cannot be started: {error.strerror}")
        try:
            status = process.wait(IDENTIFY_LIMIT_S)
        except subprocess.TimeoutExpired:
            _end_group(process)
            return Answer("", f"did not answer within {IDENTIFY_LIMIT_S:.0f} s")
        text = ""
        for stream in (out, err):
            stream.seek(0)
            text += stream.read(ANSWER_LIMIT_BYTES).decode("utf-8", "replace") + "\n"
    if status != 0:
        how = f"exit status {status}" if status > 0 else f"signal {-status}"
        return Answer("", f"failed when asked what it is ({how})")
    return Answer(text, "")


# Each of these makes a runtime behave, or speak, in another way than it would by itself.
OPTION_VARIABLES = frozenset(
    [
        "JAVA_TOOL_OPTIONS",
        "_JAVA_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "NODE_OPTIONS",
        "PYTHONHOME",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "GOFLAGS",
        "RUSTUP_TOOLCHAIN",
    ]
)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
