"""Runs whose every text was written by somebody who means harm."""

from __future__ import annotations

from dataclasses import replace

from evidence.honest_run import GO, JAVA, cell_id, honest_run
from evidence.honest_services import ServiceRun, honest_services, services_of
from evidence.records import Records
from report.sources import told

HOSTILE = (
    "</script><script>window.owned = true; alert(1)</script>"
    "\"'><img src=x onerror=alert(1)><!--<script>{{ 7 * 7 }} ${alert(1)} [[constructor]] "
    "var(--ink) \u202eevil\u202c \x1b[31m\u2028 &lt;b&gt; <svg onload=alert(1)>\\"
)
"""Markup, quotes, a comment that swallows scripts, templates, bidirectional controls, escapes."""

LONG = "<b>long</b> " * 90_000  # a megabyte


def hostile_programs(text: str = HOSTILE) -> Records:
    failing = honest_run().failing(cell_id(GO), 2, reason=text)
    run = _renamed(failing.with_launch_share(cell_id(GO), "foreign_ns", 0.2), text)
    source = told({1: 2.0, 3: 1.0}, path=text, name=text, unit=text, text=f"{text}\n\t{text}\n\n")
    return run.telling(cell_id(GO), source).telling(cell_id(JAVA), reason=text)


def hostile_services(text: str = HOSTILE) -> ServiceRun:
    return services_of(_renamed(honest_services(), text))


def _renamed(run: Records, text: str) -> Records:
    """The text before every name that the run holds."""
    plan = run.plan
    variants = [one.model_copy(update={"name": text + one.name}) for one in plan.variants]
    cells = [
        cell.model_copy(
            update={
                "benchmark": text + cell.benchmark,
                "workload": text + cell.workload,
                "tier": _tier(cell.tier, text),
                "variant": text + cell.variant,
            }
        )
        for cell in plan.cells
    ]
    executions = [
        one.model_copy(
            update={
                "start": one.start.model_copy(
                    update={
                        "benchmark": text + one.start.benchmark,
                        "workload": f"{text}{one.start.workload}",
                        "tier": _tier(one.start.tier, text),
                        "runtime": text + one.start.runtime,
                    }
                )
            }
        )
        for one in run.executions
        if one.start is not None
    ]
    return (
        replace(run, executions=tuple(executions))
        .with_plan(
            experiment=text,
            about=text,
            baseline=text + plan.baseline,
            variants=variants,
            cells=cells,
            limitations=[text],
        )
        .with_host(name=text, processor_model=text, system=text, kernel=text)
    )


def _tier(tier: str, text: str) -> str:
    return tier if tier == "standard" else text + tier
