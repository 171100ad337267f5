"""Plans of programs, on a machine with three variants on which all is built already."""

from __future__ import annotations

from typing import Any

from experiment.plans import variant
from runfair.catalogue.experiment import Experiment
from runfair.experiment.plan_draft import Request
from runfair.experiment.planning import resolve
from runfair.formats.plan import Plan

GCC = variant("gcc-12+o3", "c++").model_copy(update={"default": True})
CLANG = variant("clang-14+o3", "c++")
GO = variant("go-1.26", "go").model_copy(update={"default": True})
BUN = variant("bun", "javascript").model_copy(
    update={
        "default": True,
        "state": "missing",
        "reason": "not installed",
        "install": "./runfair install bun",
    }
)
QUICK = Request("quick")
VARIANTS = [GCC, CLANG, GO, BUN]


def plan_of(measure: dict[str, Any], request: Request = QUICK, **experiment: Any) -> Plan:
    text = Experiment.model_validate(
        {"name": "test", "measure": [{"benchmarks": ["sort"], **measure}], **experiment}
    )
    return resolve(text, request, lambda _: None)
