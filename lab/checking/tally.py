"""Runs steps, remembers what they came to, and closes with one line and an exit status."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from checking.step import Counted, Step


@dataclass
class Tally:
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
        """Print what it all came to; the exit status, which is 0 only if something passed and
        nothing failed."""
        print()
        for name, seconds in self.took_s.items():
            print(f"{seconds:7.1f} s  {name}")
        print(f"{sum(self.took_s.values()):7.1f} s  in all")
        if self.total.skipped:
            print(f"\nskipped, {len(self.total.skipped)} in all:")
            for reason in dict.fromkeys(self.total.skipped):
                print(f"  {reason}")
        for name in self.failures:
            print(f"failed: {name}")
        total = self.total
        print()
        print(
            f"{total.passed} passed, {total.failed} failed, {len(total.skipped)} skipped",
            flush=True,
        )
        return 1 if total.failed or not total.passed else 0
