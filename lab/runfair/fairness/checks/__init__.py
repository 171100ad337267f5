"""The fairness checks, one in each file, in the order in which their findings are shown.

A check is a module. A check contains a name, the doubt that it raises (in a few words, for the row
of a table), a version (raised whenever the findings can change), the thresholds as constants, and
the function `check`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from runfair.evidence.run import RunEvidence
from runfair.fairness.checks import (
    calibration,
    clock,
    clock_offset,
    database_bound,
    dead_code,
    digest,
    disturbed_blocks,
    driver_bound,
    effective_flags,
    equal_conditions,
    errors,
    executions,
    failures,
    few_requests,
    foreign_time,
    generator_delay,
    hosts,
    left_behind,
    machine,
    memory_method,
    network,
    offered_rate,
    omitted_pauses,
    order,
    records,
    relay_delay,
    simulated_hosts,
    smoke,
    throttling,
    traffic,
    uncounted_time,
    unequal_builds,
    wall_over_cpu,
    warm_up,
)
from runfair.formats.finding import Finding


class Check(Protocol):
    """The interface of a check's module."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 - a module's constant
    @property
    def DOUBT(self) -> str: ...  # noqa: N802 - a module's constant
    @property
    def VERSION(self) -> int: ...  # noqa: N802 - a module's constant

    def check(self, run: RunEvidence) -> Iterator[Finding]: ...


CHECKS: tuple[Check, ...] = (
    failures,
    records,
    digest,
    equal_conditions,
    dead_code,
    effective_flags,
    unequal_builds,
    executions,
    warm_up,
    driver_bound,
    database_bound,
    errors,
    offered_rate,
    generator_delay,
    relay_delay,
    omitted_pauses,
    few_requests,
    traffic,
    clock,
    clock_offset,
    network,
    foreign_time,
    disturbed_blocks,
    wall_over_cpu,
    throttling,
    uncounted_time,
    order,
    calibration,
    memory_method,
    left_behind,
    smoke,
    simulated_hosts,
    machine,
    hosts,
)
