"""The top of the page: the conclusion, as on the terminal, then where and when it was measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from runfair.evidence.run import RunEvidence
from runfair.formats.host import Host
from runfair.formats.result import RunResult
from runfair.report.conclusion.conclusion import Conclusion
from runfair.wording import quantity
from runfair.wording.text import brief, short


@dataclass(frozen=True)
class Headline:
    """`facts` are lines with their names."""

    conclusion: Conclusion
    facts: tuple[tuple[str, str], ...]


def headline(evidence: RunEvidence, result: RunResult, conclusion: Conclusion) -> Headline:
    return Headline(conclusion, tuple(_facts(evidence, result)))


def _facts(evidence: RunEvidence, result: RunResult) -> Iterator[tuple[str, str]]:
    plan, host = evidence.plan, evidence.host
    if plan.about:
        yield "About", brief(plan.about)
    yield "Experiment", f"{brief(plan.experiment)}, profile {plan.profile}"
    executions = sum(cell.executions for cell in result.cells)
    yield "Cells", f"{len(result.cells):,}, {executions:,} completed executions"
    yield (
        "When",
        time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(plan.created_realtime_ns // 10**9)),
    )
    yield "Where", _machine(host)
    if host.calibration is not None:
        yield (
            "Noise floor",
            f"{quantity.percent(host.calibration.noise_floor_cpu)} of CPU time, "
            f"{quantity.percent(host.calibration.noise_floor_wall)} of wall time: the smallest "
            "difference that can be seen",
        )
    yield "Made by", f"runfair {short(plan.runfair)}, order seed {plan.order_seed}"


def _machine(host: Host) -> str:
    return brief(
        f"{host.name}: {len(host.processors)} × {host.processor_model}, "
        f"{quantity.size(host.memory_bytes)}, {host.system}, kernel {host.kernel}"
    )
