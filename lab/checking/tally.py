"""Runs the steps and stores their outcomes. At the end it prints one line and returns an exit
status."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from checking.gap import gaps
from checking.lane import SideBySide, Stage
from checking.languages import install_line
from checking.step import Counted, Step

SLOWEST = 10
# More failures than this cannot be explained by a busy machine.
AGAIN_LIMIT = 3


@dataclass
class Tally:
    """The outcomes of all steps. `unsteady` names steps with tests that failed at first and passed
    when run alone.
    """

    total: Counted = field(default_factory=Counted)
    failures: list[str] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    again: list[tuple[str, int, Step]] = field(default_factory=list)
    took_s: list[tuple[float, str]] = field(default_factory=list)
    began_s: float = field(default_factory=time.monotonic)

    def take_stage(self, stage: Stage) -> None:
        """Runs the lanes side by side and prints the output of each step when it ends. The output
        of a single lane is printed while it runs.
        """
        lanes = [lane for lane in stage if lane.steps]
        if len(lanes) > 1:
            with SideBySide(lanes) as finished:
                for one in finished:
                    print(f"── {one.name}\n{one.printed}", end="", flush=True)
                    self._remember(one.name, one.counted, one.took_s)
            return
        for lane in lanes:
            for step in lane.steps:
                self.take(step)

    def take(self, step: Step) -> None:
        print(f"── {step.name}", flush=True)
        began = time.monotonic()
        counted = step.run()
        self._remember(step.name, counted, time.monotonic() - began)

    def _remember(self, name: str, counted: Counted, took_s: float) -> None:
        self.took_s.append((took_s, name))
        self.total += counted
        if counted.failed:
            self.failures.append(name)
            print(f"── {name}: {counted.failed} failed", flush=True)
            if counted.again is not None:
                self.again.append((name, counted.failed, counted.again))

    def take_again(self) -> None:
        """Runs failed tests a second time, when nothing else is running. A test that then passes
        counts as passed, and its step is named as unsteady. If many tests failed, or a whole step
        did, nothing is run again.
        """
        if not self.failures or len(self.again) < len(self.failures):
            return
        if self.total.failed > AGAIN_LIMIT:
            return
        for name, failed, step in self.again:
            print(f"── {step.name}", flush=True)
            counted = step.run()
            if counted.failed or counted.passed < failed:
                continue
            self.total += Counted(passed=failed, failed=-failed)
            self.failures.remove(name)
            self.unsteady.append(name)

    def close(self) -> int:
        """Prints the totals and returns the exit status: 0 only if something passed and nothing
        failed.
        """
        print("\nthe slowest steps:")
        for seconds, name in sorted(self.took_s, reverse=True)[:SLOWEST]:
            print(f"{seconds:7.1f} s  {name}")
        print(f"{time.monotonic() - self.began_s:7.1f} s  in all")
        if self.total.skipped:
            print("\nskipped tests, and the command that installs the missing part, or the reason:")
            for line in gaps(self.total.skipped, install_line):
                print(line)
        for name in self.unsteady:
            print(f"unsteady: {name}: failed at first, passed when run alone; find the cause")
        for name in self.failures:
            print(f"failed: {name}")
        total = self.total
        print()
        print(
            f"{total.passed} passed, {total.failed} failed, {len(total.skipped)} skipped",
            flush=True,
        )
        return 1 if self.failures or total.failed or not total.passed else 0
