"""Hosts that are not alike, and hosts that are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evidence.honest_run import honest_run
from evidence.records import Records
from evidence.two_hosts import on_two_hosts, started
from fairness.stories import SMALL, Story
from runfair.fairness.checks.hosts import FLAGGED_SPEED, check
from runfair.formats.execution import Execution

NAMES = ("one", "two", "three")


def on_hosts(run: Records, **last: Any) -> Records:
    return run.on_hosts(*NAMES, **last)


def at_speed(run: Records, factor: float) -> Records:
    """The last host's reference loop took `factor` times as long."""
    assert run.host.calibration is not None
    reference_ns = round(run.host.calibration.reference_ns * factor)
    calibration = run.host.calibration.model_copy(update={"reference_ns": reference_ns})
    return on_hosts(run, calibration=calibration)


def governed(run: Records) -> Records:
    processors = [one.model_copy(update={"governor": "powersave"}) for one in run.host.processors]
    assert processors
    return on_hosts(run, processors=processors)


def with_flag(run: Records, *, on: str | None) -> Records:
    """The runtime reports a flag, with another value on one host or in one execution."""
    found = on_hosts(run)
    mine = [one.id for one in found.executions if one.cell == SMALL]

    def told(one: Execution) -> Execution:
        if one.start is None:
            return one
        other = one.host == on if on else one.id == mine[0]
        flags = {**one.start.effective, "tiered": "off" if other else "on"}
        return one.model_copy(update={"start": one.start.model_copy(update={"effective": flags})})

    return replace(found, executions=tuple(map(told, found.executions)))


STORIES = (
    Story("three alike", on_hosts, None),
    Story(
        "another processor", lambda run: on_hosts(run, processor_model="a slower one"), "warning"
    ),
    Story("other firmware", lambda run: on_hosts(run, firmware="Maker 2.1 06/01/2026"), "warning"),
    Story("another kernel", lambda run: on_hosts(run, kernel="Linux 5.4"), "warning"),
    Story("another governor", governed, "warning"),
    Story(
        "not calibrated",
        lambda run: on_hosts(run, calibration=None),
        "warning",
        also=frozenset({"calibration"}),
    ),
    Story("a slower host", lambda run: at_speed(run, 1.2), "warning"),
    Story("a little slower", lambda run: at_speed(run, 1 + FLAGGED_SPEED / 2), None),
    Story("another flag on one host", lambda run: with_flag(run, on="two"), "warning"),
    Story("a value that varies on a host", lambda run: with_flag(run, on=None), None),
)


def test_the_host_and_the_difference_are_named() -> None:
    found = [
        one
        for one in check(on_hosts(honest_run(), processor_model="X").evidence())
        if one.cell == SMALL
    ]
    assert [one.values["host"] for one in found] == ["three"]
    usual = honest_run().host.processor_model
    assert found[0].text == (
        f"the host three differs from most hosts (processor X, not {usual}), so the times on it "
        "may differ too"
    )


def test_a_host_that_measured_nothing_flags_nothing() -> None:
    run = on_hosts(honest_run(), processor_model="X")
    elsewhere = tuple(
        one.model_copy(update={"host": "one"}) if one.host == "three" else one
        for one in run.executions
    )
    assert list(check(replace(run, executions=elsewhere).evidence())) == []


def test_the_hosts_of_a_service_are_compared_with_each_other() -> None:
    assert [*check(on_two_hosts().evidence())] == []
    for run in (on_two_hosts(kernel="Linux 5.4"), on_two_hosts(started(effective={"gc": "off"}))):
        found = [*check(run.evidence())]
        assert {one.values["host"] for one in found} == {"second"}
        assert {one.cell for one in found} == {one.cell.id for one in run.evidence().services}
