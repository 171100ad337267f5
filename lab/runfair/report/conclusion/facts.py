"""The facts of a run, each in a line: the measured cells, the machine, and the share of fair
figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from runfair.evidence.run import RunEvidence
from runfair.fairness.checks import few_requests
from runfair.formats.execution import Execution
from runfair.formats.finding import FigureName, VerdictState
from runfair.formats.host import Host
from runfair.formats.result import CellResult, Figure, RunResult
from runfair.report.conclusion.naming import listed
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.text import short

MOST_NAMED = 2  # benchmarks
MOST_VOID = 2  # kinds of figures
SMALLEST_SHOWN = 0.001  # of a noise floor: one decimal of a percentage
LONGEST_PAUSE_NS = 600 * 10**9  # the longest gap between two executions without an interruption


def measured(evidence: RunEvidence, result: RunResult) -> str:
    """The measured benchmarks and the duration, for example `sudoku and sort in 6 languages,
    payments on 3 services · took 8 min`."""
    programs = [cell for cell in result.cells if cell.is_program]
    services = [cell for cell in result.cells if not cell.is_program]
    parts = []
    if programs:
        variants = len({cell.variant for cell in programs})
        languages = len({cell.language for cell in programs})
        across = _counted(variants, "variant")
        if languages == variants:
            across = _counted(languages, "language")
        parts.append(f"{_benchmarks(programs)} in {across}")
    if services:
        count = len({(cell.tier, cell.variant) for cell in services})
        parts.append(f"{_benchmarks(services)} on {_counted(count, 'service')}")
    said = ", ".join(parts) or "nothing"
    records = [each.record for one in evidence.cells for each in one.executions]
    took = f" · took {quantity.rough_time(_took_ns(records) / 1e9)}" if records else ""
    return f"{said}{took}"


def _benchmarks(cells: Sequence[CellResult]) -> str:
    names = list(dict.fromkeys(short(cell.benchmark) for cell in cells))
    return listed(names) if len(names) <= MOST_NAMED else f"{len(names)} benchmarks"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _took_ns(records: Sequence[Execution]) -> int:
    """The time from the start of the first execution to the end of the last, without interruptions
    of the run."""
    spans = sorted(
        (one.launch.started_realtime_ns, one.launch.started_realtime_ns + one.launch.wall_ns)
        for one in records
    )
    took_ns, before_ns = 0, spans[0][0]
    for start_ns, end_ns in spans:
        pause_ns = start_ns - before_ns
        took_ns += (pause_ns if pause_ns <= LONGEST_PAUSE_NS else 0) + end_ns - start_ns
        before_ns = end_ns
    return took_ns


def machine(hosts: Sequence[Host]) -> str:
    """The machine, for example `2 CPUs (AMD EPYC, KVM guest), 24 GiB, Linux 6.18 · noise floor
    0.6%`. The floor is the greatest of all hosts; the check `hosts` says how the others differ from
    the first."""
    host = hosts[0]
    guest = re.fullmatch(r"guest(?: \((.*)\))?", host.virtualised)
    virtual = f", {guest[1]} guest" if guest and guest[1] else ", guest" if guest else ""
    kernel = re.search(r"\d+\.\d+", host.kernel)
    floors = [one.calibration.noise_floor_cpu for one in hosts if one.calibration]
    floor = f"noise floor {_percent(max(floors))}" if floors else "not calibrated"
    count = f"{len(hosts)} hosts · " if len(hosts) > 1 else ""
    return (
        f"{count}{_counted(len(host.processors), 'CPU')} "
        f"({short(host.processor_model)}{virtual}), "
        f"{host.memory_bytes / 2**30:.0f} GiB, "
        f"Linux {kernel[0] if kernel else short(host.kernel)} · {floor}"
    )


def _percent(share: float) -> str:
    """One decimal; a floor is never 0, however quiet the machine."""
    return f"{share:.1%}" if share >= SMALLEST_SHOWN else f"< {SMALLEST_SHOWN:.1%}"


def fair(result: RunResult) -> str:
    """The share of fair figures, for example `92 of 102 figures fair, 10 flagged (with care)`, and
    the number of failed and missing executions. If few kinds of figures are void, they are
    named."""
    figures = list(_fillable(result))
    counts = Counter(one.verdict for _, one in figures)
    parts = []
    if not figures:
        parts.append("nothing is measured yet")
    elif counts["fair"] == len(figures):
        parts.append(f"all {len(figures):,} figures fair")
    else:
        void = list(dict.fromkeys(name_of(name) for name, one in figures if one.verdict == "void"))
        unusable = f"unusable: {listed(void)}" if 0 < len(void) <= MOST_VOID else "unusable"
        meaning: dict[VerdictState, str] = {"flagged": "with care", "void": unusable}
        rest = [f"{counts[one]:,} {one} ({said})" for one, said in meaning.items() if counts[one]]
        parts.append(f"{counts['fair']:,} of {len(figures):,} figures fair, {', '.join(rest)}")
    if failed := sum(cell.failed for cell in result.cells):
        parts.append(f"{_counted(failed, 'execution')} failed")
    if not result.complete:
        parts.append("incomplete: ./runfair resume")
    return "; ".join(parts)


def _fillable(result: RunResult) -> Iterator[tuple[FigureName, Figure]]:
    """All figures of the measured cells, with their names. A figure is left out if no cell had
    enough requests for it, for example p99.99 under the profile `quick`."""
    told: dict[FigureName, list[Figure]] = {}
    for cell in result.cells:
        if cell.executions + cell.failed:
            for name, figure in cell.figures.items():
                told.setdefault(name, []).append(figure)
    for name, figures in told.items():
        if not all(_too_few(one) for one in figures):
            yield from ((name, one) for one in figures)


def _too_few(figure: Figure) -> bool:
    faults = {one.check for one in figure.findings if one.severity == "fault"}
    return faults == {few_requests.NAME}
