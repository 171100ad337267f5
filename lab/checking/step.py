"""One step of the check: something that is run, and what it counted."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

NO_TESTS_COLLECTED = 5  # pytest's exit status where a selection holds no test


@dataclass(frozen=True)
class Counted:
    """What a step comes to; `skipped` has a reason for each thing that was not tried."""

    passed: int = 0
    failed: int = 0
    skipped: tuple[str, ...] = ()

    def __add__(self, other: Counted) -> Counted:
        return Counted(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )


@dataclass(frozen=True)
class Step:
    name: str
    run: Callable[[], Counted]


def command(
    name: str, words: Sequence[str | Path], *, needs: str | Path | None = "", **surroundings: object
) -> Step:
    """A command that passes with status 0. `needs` None: what it wants is missing, so it is
    skipped, with the reason."""

    def run() -> Counted:
        if needs is None:
            return Counted(skipped=(f"{name}: {words[0]} is not installed",))
        done = subprocess.run([str(word) for word in words], check=False, **surroundings)  # type: ignore[call-overload]
        return Counted(passed=1) if done.returncode == 0 else Counted(failed=1)

    return Step(name, run)


def silent(name: str, words: Sequence[str | Path], *, needs: str | Path | None = "") -> Step:
    """A command that passes with status 0 and nothing on standard output (gofmt -l)."""

    def run() -> Counted:
        if needs is None:
            return Counted(skipped=(f"{name}: {words[0]} is not installed",))
        done = subprocess.run(
            [str(word) for word in words], check=False, stdout=subprocess.PIPE, text=True
        )
        print(done.stdout, end="")
        good = done.returncode == 0 and not done.stdout.strip()
        return Counted(passed=1) if good else Counted(failed=1)

    return Step(name, run)


def pytest(name: str, arguments: Sequence[str | Path]) -> Step:
    """A pytest run; its tests are counted one by one."""

    def run() -> Counted:
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / "junit.xml"
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "pytest",
                    *map(str, arguments),
                    f"--junit-xml={report}",
                ],
                check=False,
            )
            if done.returncode == NO_TESTS_COLLECTED:
                return Counted(skipped=(f"{name}: no test is selected",))
            counted = read_junit(report) if report.exists() else Counted()
        if done.returncode != 0 and not counted.failed:
            return counted + Counted(failed=1)
        return counted

    return Step(name, run)


def read_junit(report: Path) -> Counted:
    passed = failed = 0
    skipped: list[str] = []
    for case in ET.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif (skip := case.find("skipped")) is not None:
            skipped.append(f"{case.get('name')}: {skip.get('message')}")
        else:
            passed += 1
    return Counted(passed, failed, tuple(skipped))


@dataclass
class Tally:
    """Runs steps and remembers what they came to."""

    total: Counted = field(default_factory=Counted)
    failures: list[str] = field(default_factory=list)
    took_s: dict[str, float] = field(default_factory=dict)

    def take(self, step: Step) -> None:
        print(f"── {step.name}", flush=True)
        began = time.monotonic()
        counted = step.run()
        self.took_s[step.name] = time.monotonic() - began
        self.total += counted
        if counted.failed:
            self.failures.append(step.name)
            print(f"── {step.name}: {counted.failed} failed", flush=True)

    def close(self) -> int:
        """Print what it all came to; the exit status."""
        print()
        for name, seconds in self.took_s.items():
            print(f"{seconds:7.1f} s  {name}")
        if self.total.skipped:
            print(f"\nskipped, {len(self.total.skipped)} in all:")
            for reason in dict.fromkeys(self.total.skipped):
                print(f"  {reason}")
        for name in self.failures:
            print(f"failed: {name}")
        print()
        tail = f", {len(self.total.skipped)} skipped" if self.total.skipped else ""
        print(f"{self.total.passed} passed, {self.total.failed} failed{tail}", flush=True)
        return 1 if self.total.failed or not self.total.passed else 0


def surroundings(environment: Mapping[str, str], directory: Path) -> dict[str, object]:
    """Keyword arguments for `command`."""
    return {"env": dict(environment), "cwd": directory}
