"""One step of the check: something that is run, and what it counted."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TextIO

from checking.toolchain import Toolchain
from runfair.paths import REPOSITORY

Words = Sequence[str | Path]
# Where a step and what it starts write; None: where the check itself writes.
Output = TextIO | None


class Skipped(NamedTuple):
    """A test that was not tried, and why."""

    test: str
    reason: str


@dataclass(frozen=True)
class Counted:
    """The outcome of a step. `again` runs its failed tests by themselves, if it can name them."""

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
    """Where a process that writes into `output` has its standard error: in the same place."""
    return None if output is None else subprocess.STDOUT


def command(
    name: str,
    *commands: Words,
    needs: Toolchain | None = None,
    directory: Path = REPOSITORY,
    environment: Mapping[str, str] | None = None,
    silent: bool = False,
) -> Step:
    """Commands, one after the other, that count as one: passed if each ends with status 0 and,
    where it has to be `silent` (gofmt -l), writes nothing on standard output.

    Skipped, with the reason, where the toolchain it `needs` is not here.
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
