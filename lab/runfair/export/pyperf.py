"""pyperf's JSON. The file has a benchmark for each cell and figure, and in each benchmark a run for
each execution.

A run has a single value: the execution's figure. pyperf treats all values of all runs as one sample
of independent values. The iterations of one process are not independent, so they are not exported
as values. Source: pyperf.readthedocs.io, "JSON".
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from runfair.evidence.cell import CellEvidence
from runfair.fairness.figures import execution_value
from runfair.formats.distribution import FigureUnit
from runfair.formats.finding import FigureName
from runfair.formats.result import CellResult, Figure
from runfair.result.judged_run import JudgedRun, figures_of, said
from runfair.wording.text import plain

VERSION = "1.0"
UNITS: dict[FigureUnit, str] = {"ns": "second", "bytes": "byte", "count": "integer"}


def pyperf(run: JudgedRun) -> str:
    """The JSON text. Void figures are left out and named in the metadata. If nothing is left, the
    text is empty, because pyperf reads no file without a benchmark.
    """
    made = [
        _benchmark(cell, seen, name, figure)
        for cell, seen in run.cells()
        for name, figure in figures_of(cell)
        if figure.unit in UNITS  # pyperf has no unit for shares
    ]
    # pyperf reads no file in which a benchmark has no value above 0.
    benchmarks = [one for one in made if one["runs"]]
    without = [f"{one['metadata']['name']} (no value above 0)" for one in made if not one["runs"]]
    if not benchmarks:
        return ""
    plan, host = run.evidence.plan, run.evidence.host
    metadata: dict[str, str | int] = {
        "runfair_version": plan.runfair,
        "runfair_run": run.result.run,
        "runfair_experiment": plan.experiment,
        "runfair_profile": plan.profile,
        "runfair_left_out": "; ".join([*run.left_out(), *without]),
        "hostname": host.name,
        "platform": f"{host.system} {host.kernel} {host.architecture}",
        "cpu_model_name": host.processor_model,
        "cpu_count": len(host.processors),
    }
    whole = {"version": VERSION, "metadata": _told(metadata), "benchmarks": benchmarks}
    return json.dumps(whole, indent=1) + "\n"


def _benchmark(
    cell: CellResult, seen: CellEvidence, name: FigureName, figure: Figure
) -> dict[str, Any]:
    metadata: dict[str, str | int] = {
        "name": f"{cell.id} {name}",
        "unit": UNITS[figure.unit],
        "runfair_verdict": figure.verdict,
        "runfair_findings": said(figure),
        "runfair_steady_state": cell.steady_state or "",
        "runfair_variant": cell.variant,
        "runfair_flags": seen.cell.artefact.flags,
        "runfair_artefact_sha256": seen.cell.artefact.sha256,
    }
    runs = []
    for one in seen.completed:
        value = execution_value(one, name)
        if value is not None and value > 0:
            started_ns = one.record.launch.started_realtime_ns
            date = datetime.fromtimestamp(started_ns // 10**9, UTC).replace(tzinfo=None)
            runs.append(
                {
                    "metadata": {
                        "date": date.isoformat(sep=" "),
                        "runfair_execution": one.record.id,
                    },
                    "values": [value / 1e9 if figure.unit == "ns" else round(value)],
                }
            )
    return {"metadata": _told(metadata), "runs": runs}


def _told(metadata: dict[str, str | int]) -> dict[str, str | int]:
    """The metadata in a form that pyperf accepts: each text is put on one line, and empty texts are
    left out.
    """
    made: dict[str, str | int] = {
        name: plain(value) if isinstance(value, str) else value for name, value in metadata.items()
    }
    return {name: value for name, value in made.items() if value != ""}
