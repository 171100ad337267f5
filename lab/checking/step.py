"""A step of the check: a command or a test run, with the number of tests that it counted."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TextIO

from checking.toolchain import Toolchain
from runfair.paths import REPOSITORY

Words = Sequence[str | Path]
# The place to which a step and its processes write; None stands for the check's own output.
Output = TextIO | None


class Skipped(NamedTuple):
    """A test that was not run, and why."""

    test: str
    reason: str


@dataclass(frozen=True)
class Counted:
    """The outcome of a step. `again` is a step that runs only the failed tests, if they can be
    named.
    """

    passed: int = 0
    failed: int = 0
    skipped: tuple[Skipped, ...] = ()
    again: Step | None = field(default=None, compare=False)

    def __add__(self, other: Counted) -> Counted:
        return Counted(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )


@dataclass(frozen=True)
class Step:
    name: str
    carry_out: Callable[[Output], Counted]

    def run(self, output: Output = None) -> Counted:
        return self.carry_out(output)


def errors_of(output: Output) -> int | None:
    """The destination of a process's standard error, which is the same as that of its `output`."""
    return None if output is None else subprocess.STDOUT


def command(
    name: str,
    *commands: Words,
    needs: Toolchain | None = None,
    directory: Path = REPOSITORY,
    environment: Mapping[str, str] | None = None,
    silent: bool = False,
) -> Step:
    """A step of several commands in order, which counts as one test.

    The step passes if each command ends with status 0 and, if it has to be `silent` (gofmt -l),
    writes nothing on standard output. The step is skipped, with the reason, if the toolchain that
    it `needs` is not installed.
    """

    def run(output: Output) -> Counted:
        if needs is not None and needs.executable is None:
            return Counted(skipped=(Skipped(name, needs.missing),))
        surroundings = environment if needs is None else needs.environment | dict(environment or {})
        for words in commands:
            done = subprocess.run(
                [str(word) for word in words],
                cwd=directory,
                env=surroundings,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if silent else output,
                stderr=output if silent else errors_of(output),
                check=False,
            )
            if done.stdout:
                print(done.stdout.decode("utf-8", "replace"), end="", file=output, flush=True)
            if done.returncode != 0 or done.stdout:
                return Counted(failed=1)
        return Counted(passed=1)

    return Step(name, run)
