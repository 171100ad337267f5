"""The reference program (lab/reference): work that never changes, started by the launcher."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from runfair.errors import InvalidResult
from runfair.formats.host import BusyProgram, ReferenceKind, ReferenceReading
from runfair.formats.launch import LaunchReport
from runfair.machine.environment import clean_environment
from runfair.machine.interference import ProcessTimes, busy_since, read_processes
from runfair.machine.kernel_files import boot_id
from runfair.machine.launching import Launcher

TIMEOUT_S = 60.0

_NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Reference:
    """The program, and a folder for its output."""

    launcher: Launcher
    executable: Path
    folder: Path

    def run(self, arguments: Sequence[str], processors: Sequence[int]) -> tuple[str, LaunchReport]:
        """What it printed, and its accounting. InvalidResult where it did not complete."""
        output = self.folder / "output"
        with self.launcher.start(
            [self.executable, *arguments],
            report=self.folder / "report.json",
            stdout=output,
            environment=clean_environment(),
            directory=self.folder,
            processors=processors,
            timeout_s=TIMEOUT_S,
            counted=False,
        ) as launch:
            report = launch.wait()
        outcome = report.outcome
        if outcome.state != "exited" or outcome.exit_status != 0:
            raise InvalidResult(
                f"the reference loop did not complete ({outcome.state}, status "
                f"{outcome.exit_status}, {outcome.error or 'no error'})"
            )
        return output.read_text(), report


@dataclass
class ReferenceLoop:
    """Takes readings one after the other, and sees which programs were busy between them."""

    reference: Reference
    processes: Callable[[], Mapping[int, ProcessTimes]] = read_processes
    _seen: Mapping[int, ProcessTimes] = field(init=False)
    _seen_ns: int = field(init=False)

    def __post_init__(self) -> None:
        self._seen, self._seen_ns = self.processes(), time.monotonic_ns()

    def read(
        self, kind: ReferenceKind, processor: int, length_ns: int, after: str
    ) -> ReferenceReading:
        """One reading of this length on a processor. InvalidResult where the loop failed."""
        began_ns = time.monotonic_ns()
        busy = self._busy()
        text, report = self.reference.run([kind, str(length_ns)], [processor])
        try:
            started_ns, steps, wall_ns, cpu_ns, _ = map(int, text.split())
            return ReferenceReading(
                boot_id=boot_id(),
                started_monotonic_ns=started_ns,
                kind=kind,
                processor=processor,
                steps=steps,
                wall_ns=wall_ns,
                cpu_ns=cpu_ns,
                process_ns=report.wall_ns,
                foreign_ns=report.foreign_ns,
                steal_ns=report.steal_ns,
                took_ns=time.monotonic_ns() - began_ns,
                after=after,
                busy=busy,
            )
        except (ValueError, ValidationError):
            raise InvalidResult(f"the reference loop printed {text[:80]!r}") from None

    def _busy(self) -> list[BusyProgram]:
        before, before_ns = self._seen, self._seen_ns
        self._seen, self._seen_ns = self.processes(), time.monotonic_ns()
        elapsed_s = (self._seen_ns - before_ns) / _NS_PER_S
        found = busy_since(before, self._seen, elapsed_s)
        return [BusyProgram(name=one.name, share=round(one.share, 3)) for one in found]
