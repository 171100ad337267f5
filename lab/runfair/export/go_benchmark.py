"""Text in Go's benchmark format for benchstat. The text has a line for each execution, because
benchstat treats a line as a sample.

Source: go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md, and `benchunit`,
which reads `ns` as seconds. The files of two runs are compared with `benchstat before after`.
benchstat compares only lines with the same configuration. Values that differ in every run are
therefore not in the configuration lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.fairness.figures import NAMED, execution_value
from runfair.formats.distribution import FigureUnit
from runfair.formats.finding import FigureName
from runfair.formats.plan import Cell
from runfair.formats.result import CellResult, Figure
from runfair.result.judged_run import JudgedRun, figures_of, said
from runfair.wording.naming import name_of, surroundings
from runfair.wording.text import plain

UNITS: dict[FigureName, str] = {"wall": "ns/op", "cpu": "cpu-ns/op", "memory": "peak-B"}
ENDINGS: dict[FigureUnit, str] = {"ns": "ns", "bytes": "B", "count": "count", "share": "share"}
# Go's own names for the processor architectures
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_UNSAFE = re.compile(r"[^\w.+=:@-]+")


def go_benchmark(run: JudgedRun) -> str:
    """The text for a run. Void figures are left out and named in comments. Flagged figures have a
    comment.
    """
    plan, host = run.evidence.plan, run.evidence.host
    lines = [
        f"# runfair {plan.runfair}, run {run.result.run}, profile {plan.profile}",
        *(f"# left out: {line}" for line in run.left_out()),
        "goos: linux",
        f"goarch: {ARCHITECTURES.get(host.architecture, host.architecture)}",
        f"pkg: {plan.experiment}",
        f"cpu: {host.processor_model}",
        "Unit peak-B better=lower",
        *_directions(run),
    ]
    for cell, seen in run.cells():
        lines += _lines(cell, seen)
    return "\n".join(map(plain, lines)) + "\n"


def _directions(run: JudgedRun) -> list[str]:
    """Lines that tell benchstat which direction is better for the unit of each distribution."""
    units = {
        _unit(name, figure): figure.better
        for cell, _ in run.cells()
        for name, figure in figures_of(cell)
        if name not in NAMED
    }
    return [f"Unit {unit} better={better}" for unit, better in units.items()]


def _lines(cell: CellResult, seen: CellEvidence) -> Iterator[str]:
    shown = dict(figures_of(cell))
    for name, figure in shown.items():
        if figure.verdict == "flagged":
            yield f"# flagged: {cell.id} {name_of(name)}: {said(figure)}"
    for one in seen.completed:
        values = [
            f"{value:.3f} {_unit(name, shown[name])}"
            for name in shown
            if (value := execution_value(one, name)) is not None and value > 0
        ]
        if values:
            yield " ".join((benchmark_name(seen.cell), str(_iterations(one)), *values))


def _unit(name: FigureName, figure: Figure) -> str:
    return UNITS.get(name) or f"{name}-{ENDINGS[figure.unit]}"


def benchmark_name(cell: Cell) -> str:
    """A name such as
    `BenchmarkSort/workload=classic/size=small/mode=steady/tier=standard/variant=go-1.26.8-1`.
    benchstat filters by the keys, and takes the last number as the number of threads.
    """
    parts = {
        "workload": cell.workload,
        "size": cell.size,
        "mode": cell.mode,
        "tier": cell.tier,
        "variant": cell.variant,
    }
    if cell.seed != 1:
        parts["seed"] = str(cell.seed)
    if cell.own:
        parts["own"] = cell.own
    if around := surroundings(cell.threads, cell.factors)[1:]:
        parts["factors"] = "_".join(around)
    if cell.drive is not None:
        parts["connections"] = str(cell.drive.connections)
    if cell.peak is not None:
        parts["peak"] = f"{cell.peak.connections}x{cell.peak.pipeline}"
    if cell.service is not None:
        parts["rate"] = f"{cell.service.point.rate_per_s:g}"
        if cell.service.point.protocol != "http":
            parts["protocol"] = cell.service.point.protocol
    keys = "/".join(f"{key}={_safe(value)}" for key, value in parts.items())
    benchmark = _safe(cell.benchmark)
    return f"Benchmark{benchmark[:1].upper()}{benchmark[1:]}/{keys}-{cell.threads}"


def _safe(text: str) -> str:
    """The text with white space and slashes replaced: white space would end the name, and a slash
    would begin another key.
    """
    return _UNSAFE.sub("_", plain(text)) or "_"


def _iterations(one: ExecutionEvidence) -> int:
    """The number of iterations or requests from which the values of a line were computed."""
    if one.load is not None:
        return max(1, one.load.latency.total)
    return max(1, len(one.wall_ns[one.steady_part]))
