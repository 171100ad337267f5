"""The reference program (lab/reference), which always does the same work, and the calibration that
uses it.

The program's loop is timed between executions. A calibration runs the program as A and as B in
interleaved pairs (A B, B A, ...). The half-width of the confidence interval of their ratio is the
noise floor: the smallest difference that can be seen (docs/statistics.md, "A noisy machine"). The
CPU time of the program also shows changes of the processor's frequency.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from runfair.errors import InvalidResult
from runfair.formats.host import BusyProgram, Calibration, Gate, ReferenceKind, ReferenceReading
from runfair.formats.launch import LaunchReport
from runfair.machine import noise
from runfair.machine.environment import clean_environment
from runfair.machine.interference import ProcessTimes, busy_processes, busy_since, read_processes
from runfair.machine.kernel_files import boot_id, format_processors
from runfair.machine.launching import Launcher
from runfair.machine.native import REFERENCE, build_native
from runfair.paths import private_folder
from runfair.statistics.noise_floor import RECOMMENDED_PAIRS, drift_along, noise_floor

TIMEOUT_S = 60.0

# "Run by itself before the first measurement of a day".
VALID_FOR_S = 24 * 3600.0

# Above this drift of the reference loop the calibration is repeated (docs/fairness.md: flagged at
# 1%, void at 2%).
DRIFT_TO_REPEAT = 0.02
FLOOR_TO_REPEAT = 0.05
# A machine that is noisy now is also noisy a few minutes later. Without this limit, each run on a
# noisy machine would spend 15 s on another calibration.
REPEAT_AFTER_S = 600.0

# Forty executions of about 0.15 s stay within 15 s even if other processes take half of the
# processor.
ITERATIONS = 3


_NS_PER_S = 1_000_000_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Reference:
    """The reference program, with a folder for its output."""

    launcher: Launcher
    executable: Path
    folder: Path

    def run(self, arguments: Sequence[str], processors: Sequence[int]) -> tuple[str, LaunchReport]:
        """Runs the reference loop once, and returns its output and its accounting. Raises
        InvalidResult if the loop did not complete."""
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
                "runfair's reference loop, which measures the machine's speed, failed "
                f"({outcome.state}, status {outcome.exit_status}, {outcome.error or 'no error'})"
            )
        return output.read_text(), report


@dataclass
class ReferenceLoop:
    """Takes readings of the reference loop, and records the programs that were busy between two
    readings."""

    reference: Reference
    processes: Callable[[], Mapping[int, ProcessTimes]] = read_processes
    _seen: Mapping[int, ProcessTimes] = field(init=False)
    _seen_ns: int = field(init=False)

    def __post_init__(self) -> None:
        self._seen, self._seen_ns = self.processes(), time.monotonic_ns()

    def read(
        self, kind: ReferenceKind, processor: int, length_ns: int, after: str
    ) -> ReferenceReading:
        """A reading of this length on a processor. Raises InvalidResult if the loop failed."""
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
            raise InvalidResult(
                "runfair's reference loop, which measures the machine's speed, printed "
                f"{text[:80]!r}"
            ) from None

    def _busy(self) -> list[BusyProgram]:
        before, before_ns = self._seen, self._seen_ns
        self._seen, self._seen_ns = self.processes(), time.monotonic_ns()
        elapsed_s = (self._seen_ns - before_ns) / _NS_PER_S
        found = busy_since(before, self._seen, elapsed_s)
        return [BusyProgram(name=one.name, share=round(one.share, 3)) for one in found]


@dataclass(frozen=True)
class ReferenceRun:
    """An execution of the reference loop. The times of the execution are medians over the
    iterations."""

    started_ns: int
    wall_ns: float
    cpu_ns: float
    report: LaunchReport


class ReferenceProgram(Protocol):
    """An object that can run the reference loop once on the given processors."""

    def __call__(self, processors: Sequence[int]) -> ReferenceRun: ...


@dataclass(frozen=True)
class LaunchedReference:
    """The real reference loop, under the native launcher."""

    reference: Reference

    def __call__(self, processors: Sequence[int]) -> ReferenceRun:
        text, report = self.reference.run([str(ITERATIONS)], processors)
        wall_ns, cpu_ns = parse_reference(text)
        return ReferenceRun(report.started_monotonic_ns, wall_ns, cpu_ns, report)


def parse_reference(text: str) -> tuple[float, float]:
    """The medians of the wall times and of the CPU times that the reference loop printed, in ns."""
    lines = [line.split() for line in text.splitlines()]
    if len(lines) != ITERATIONS or any(len(line) != 3 for line in lines):
        raise InvalidResult(
            f"runfair's reference loop, which measures the machine's speed, printed {len(lines)} "
            f"lines, not {ITERATIONS}"
        )
    return (
        statistics.median(int(line[0]) for line in lines),
        statistics.median(int(line[1]) for line in lines),
    )


def calibrate(
    launcher: Launcher,
    processors: Collection[int],
    pairs: int = RECOMMENDED_PAIRS,
    on_progress: Progress | None = None,
) -> Calibration:
    """The calibration of `processors` by an A/A measurement. The calibration is stored, so that
    `current` finds it.

    `on_progress` gets the number of finished executions and their total. The caller must hold the
    measurement lock. Raises InvalidResult if the reference loop fails, or if foreign time is
    unknown on this machine.
    """
    folder = private_folder()
    folder.mkdir(parents=True, exist_ok=True)
    found = noise.gates(processors, busy_processes())
    with tempfile.TemporaryDirectory(prefix="calibrating-", dir=folder) as scratch:
        reference = Reference(launcher, build_native(REFERENCE), Path(scratch))
        calibration = measure(LaunchedReference(reference), processors, pairs, found, on_progress)
    path = calibration_path(calibration.boot_id, processors)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(calibration.model_dump_json(indent=1) + "\n")
    partial.replace(path)
    return calibration


def measure(
    reference: ReferenceProgram,
    processors: Collection[int],
    pairs: int,
    gates: list[Gate],
    on_progress: Progress | None = None,
) -> Calibration:
    """The calibration from `pairs` A/A pairs of `reference`. Raises ValueError if there are fewer
    than 2."""
    pinned = sorted(processors)
    runs: list[ReferenceRun] = []
    for _ in range(2 * pairs):
        runs.append(reference(pinned))
        if on_progress is not None:
            on_progress(len(runs), 2 * pairs)
    first, second = _sides(runs)
    cpu_ns = [run.cpu_ns for run in runs]
    reports = [run.report for run in runs]
    return Calibration(
        realtime_ns=time.time_ns(),
        boot_id=boot_id(),
        pairs=pairs,
        noise_floor_wall=noise_floor(
            [run.wall_ns for run in first], [run.wall_ns for run in second]
        ).half_width,
        noise_floor_cpu=noise_floor(
            [run.cpu_ns for run in first], [run.cpu_ns for run in second]
        ).half_width,
        # CPU time is used, so that work of other processes is not mistaken for a change of the
        # processor's speed.
        reference_ns=round(statistics.median(cpu_ns)),
        reference_drift=drift_along([run.started_ns for run in runs], cpu_ns),
        foreign_share=_share([each.foreign_ns for each in reports], reports),
        steal_share=_share([each.steal_ns for each in reports], reports),
        processors=pinned,
        gates=gates,
    )


def current(processors: Collection[int]) -> Calibration | None:
    """The stored calibration of these processors; None if there is none from this boot that is at
    most VALID_FOR_S old."""
    here = boot_id()
    try:
        kept = Calibration.model_validate_json(calibration_path(here, processors).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None  # there is no calibration, or it has another schema: a new one replaces it
    same = kept.boot_id == here and kept.processors == sorted(processors)
    return kept if same and _age_s(kept) <= VALID_FOR_S else None


def ensure(
    launcher: Launcher,
    processors: Collection[int],
    on_progress: Progress | None = None,
) -> Calibration:
    """The current calibration. A new calibration is made if there is none, or if the machine
    drifted or was too busy during the stored calibration, which is more than REPEAT_AFTER_S old."""
    kept = current(processors)
    if kept is None or (_is_noisy(kept) and _age_s(kept) > REPEAT_AFTER_S):
        return calibrate(launcher, processors, on_progress=on_progress)
    return kept


def calibration_path(boot: str, processors: Collection[int]) -> Path:
    """The file of a calibration. There is a file for each boot and set of processors, because each
    set has its own noise."""
    return private_folder() / "calibrations" / boot / f"{format_processors(processors)}.json"


def _age_s(calibration: Calibration) -> float:
    # A clock that was set back must not make a calibration valid for ever.
    return abs(time.time_ns() - calibration.realtime_ns) / _NS_PER_S


def _is_noisy(calibration: Calibration) -> bool:
    floor = max(calibration.noise_floor_wall, calibration.noise_floor_cpu)
    return abs(calibration.reference_drift) > DRIFT_TO_REPEAT or floor > FLOOR_TO_REPEAT


def _sides(runs: Sequence[ReferenceRun]) -> tuple[list[ReferenceRun], list[ReferenceRun]]:
    """The runs of A and the runs of B, from the order A B, B A, A B, ... The order alternates so
    that a drift does not favour A or B."""
    first, second = [], []
    for pair in range(len(runs) // 2):
        a, b = runs[2 * pair : 2 * pair + 2]
        if pair % 2:
            a, b = b, a
        first.append(a)
        second.append(b)
    return first, second


def _share(taken_ns: Sequence[int | None], reports: Sequence[LaunchReport]) -> float:
    """The time that others took, as a share of the processors' time. An execution is left out if
    this time is unknown."""
    told = [
        (each, report) for each, report in zip(taken_ns, reports, strict=True) if each is not None
    ]
    if not told:
        raise InvalidResult(
            "the CPU time of other processes is unknown, because /proc/stat cannot be read; make "
            "/proc/stat readable to measure on this machine"
        )
    available_ns = sum(report.wall_ns * len(report.processors) for _, report in told)
    return sum(each for each, _ in told) / available_ns
