"""The machine's own noise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import CREATED_NS, honest_run
from evidence.honest_services import honest_services
from evidence.records import SECOND
from evidence.two_hosts import on_two_hosts
from fairness.checks.test_hosts import on_hosts
from fairness.stories import Story
from runfair.fairness.checks.calibration import OLDEST_NS, check
from runfair.fairness.figures import LATENCIES
from runfair.fairness.verdict import judge
from runfair.formats.finding import VerdictState

STORIES = (
    Story("none", lambda run: run.with_host(calibration=None), "warning", None),
    Story("of another boot", lambda run: run.with_calibration(boot_id="x"), "warning", None),
    Story(
        "two days old",
        lambda run: run.with_calibration(realtime_ns=CREATED_NS - OLDEST_NS - SECOND),
        "warning",
        None,
    ),
    Story(
        "almost a day old",
        lambda run: run.with_calibration(realtime_ns=CREATED_NS - OLDEST_NS + SECOND),
        None,
    ),
    Story(
        "a day old",
        lambda run: run.with_calibration(realtime_ns=CREATED_NS - OLDEST_NS),
        None,
    ),
    Story("5%", lambda run: run.with_calibration(noise_floor_wall=0.05), None),
    Story("of processor 0", lambda run: run.with_calibration(processors=[0]), "warning", None),
    Story("of one more", lambda run: run.with_calibration(processors=[0, 1]), "warning", None),
    Story("of no processor", lambda run: run.with_calibration(processors=[]), "warning", None),
    Story(
        "of one of two",
        lambda run: run.with_plan(measured_processors=[0, 1], lab_processors=[2]),
        None,
    ),
    Story("5.1%", lambda run: run.with_calibration(noise_floor_wall=0.051), "warning", None),
    Story("4.9%", lambda run: run.with_calibration(noise_floor_wall=0.049), None),
    Story(
        "drift of -1.1%", lambda run: run.with_calibration(reference_drift=-0.011), "warning", None
    ),
    Story("drift of 0.9%", lambda run: run.with_calibration(reference_drift=0.009), None),
    Story(
        "drift of 1.9%", lambda run: run.with_calibration(reference_drift=0.019), "warning", None
    ),
    Story("drift of 2.1%", lambda run: run.with_calibration(reference_drift=0.021), "fault", None),
    Story(
        "no number", lambda run: run.with_calibration(reference_drift=float("nan")), "fault", None
    ),
)


def test_each_host_is_judged_by_its_own_calibration() -> None:
    """The first host is calibrated well, the last one, which measured a third of the blocks, has a
    high noise floor."""
    run = honest_run()
    assert run.host.calibration is not None
    noisy = run.host.calibration.model_copy(update={"noise_floor_cpu": 0.06})
    evidence = on_hosts(run, calibration=noisy).evidence()
    found = list(check(evidence))
    assert {one.cell for one in found} == {one.cell.id for one in evidence.cells}
    assert {one.text for one in found} == {
        "three: the machine's noise floor of CPU time (the smallest detectable difference) is "
        "6.0%, which is above the limit of 5%"
    }
    assert list(check(on_hosts(run).evidence())) == []


def test_a_host_that_measured_nothing_is_not_judged() -> None:
    run = on_hosts(honest_run(), calibration=None)
    elsewhere = tuple(
        one.model_copy(update={"host": "one"}) if one.host == "three" else one
        for one in run.executions
    )
    assert list(check(replace(run, executions=elsewhere).evidence())) == []


def test_each_floor_flags_its_own_figure() -> None:
    (finding,) = check(honest_run().with_calibration(noise_floor_cpu=0.06).evidence())
    assert finding.figures == ["cpu"]


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"noise_floor_wall": 0.06}, "flagged"),
        ({"reference_drift": 0.015}, "flagged"),
        ({"reference_drift": 0.03}, "flagged"),
    ],
)
def test_a_latency_is_wall_time(changes: dict[str, float], state: VerdictState) -> None:
    judged = judge(honest_services().with_calibration(**changes).evidence())
    for cell in judged.cells:
        states = {name: figure.state for name, figure in cell.figures.items()}
        # A drift of 1.5% is less than half of the interval of a percentile far out.
        wide = {"p99_9", "p99_99", "max"} if changes == {"reference_drift": 0.015} else set()
        others = {*LATENCIES, "start"} - wide
        assert {name for name, one in states.items() if one == state} == others
        assert states["cpu"] == states["memory"] == "fair"


def test_each_host_of_a_service_needs_a_calibration() -> None:
    assert [*check(on_two_hosts().evidence())] == []
    run = on_two_hosts(calibration=None).evidence()
    found = [*check(run)]
    assert {one.cell for one in found} == {one.cell.id for one in run.services}
    assert all(one.text.startswith("second: the machine's noise is unknown") for one in found)
