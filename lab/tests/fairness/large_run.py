"""The honest run over and over: as many benchmarks as are asked for, twelve cells each."""

from __future__ import annotations

from dataclasses import replace

from evidence.honest_run import honest_run
from evidence.records import Records


def large_run(benchmarks: int) -> Records:
    """Every benchmark has the honest run's own times."""
    one = honest_run()
    cells, planned, executions, series = [], [], [], {}
    for number in range(benchmarks):
        benchmark, before = f"benchmark-{number:04d}", f"{number:04d}-"
        cells += [
            cell.model_copy(update={"id": before + cell.id, "benchmark": benchmark})
            for cell in one.plan.cells
        ]
        planned += [
            each.model_copy(update={"id": before + each.id, "cell": before + each.cell})
            for each in one.plan.executions
        ]
        for each in one.executions:
            assert each.start is not None
            start = each.start.model_copy(update={"benchmark": benchmark})
            names = {"id": each.id, "planned": each.planned, "cell": each.cell}
            named = {key: before + name for key, name in names.items()}
            record = each.model_copy(update={**named, "start": start})
            executions.append(record)
            series[record.id] = one.series[each.id]
    return replace(
        one.with_plan(cells=cells, executions=planned), executions=tuple(executions), series=series
    )
