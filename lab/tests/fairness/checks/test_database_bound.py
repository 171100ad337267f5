"""Peaks that PostgreSQL limits, and such as only come near."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evidence.honest_peaks import BEAST, DB, FASTAPI, WINDOW_NS, honest_peaks, peak_id, slowed
from evidence.honest_run import honest_run
from evidence.records import Records
from fairness.stories import SMALL, Story
from runfair.fairness.checks.database_bound import check
from runfair.formats.finding import Finding
from runfair.formats.peak import Peak, PeakLoad
from runfair.formats.plan import DrivenLoad
from runfair.formats.service import DatabaseUse

PEAK = Peak(
    connections=8,
    traffic="/traffic.jsonl",
    traffic_sha256="0" * 64,
    database=DatabaseUse(round_trip_ns=0),
)


def bound(
    run: Records,
    server: float,
    database: float,
    generator: float = 0.0,
    *,
    shared: bool = False,
    count: int = 6,
) -> Records:
    """A peak of the honest run's first program: the shares of their processors' time that the three
    used in each of its 60 iterations."""
    first = next(one for one in run.executions if one.cell == SMALL)
    cpu_ns = run.series[first.id][1]
    # An iteration is a window that is scaled to 1,000 requests: here each has as many.
    windows_ns = [round(one / server) for one in cpu_ns.tolist()]
    peak = PeakLoad(
        window_ns=windows_ns,
        answered=[1000] * len(windows_ns),
        switches=[0] * len(windows_ns),
        database_cpu_ns=[round(one * database) for one in windows_ns],
        database_processors=[0],
        generator_processors=[0] if shared else [2],
    )
    load = DrivenLoad(
        iteration=0,
        name="peak",
        elapsed_ns=sum(windows_ns),
        requests=1000 * len(windows_ns),
        misses=0,
        generator_share=generator,
    )
    return run.with_cell(SMALL, peak=PEAK).with_records(SMALL, count, peak=peak, driven=[load])


def story(name: str, tell: Callable[[Records], Records], *, flagged: bool) -> Story:
    return Story(name, tell, "warning" if flagged else None)


STORIES = (
    story("a busy database", lambda run: bound(run, 0.4, 0.96), flagged=True),
    story("in one execution", lambda run: bound(run, 0.4, 0.96, count=1), flagged=True),
    story("both are busy", lambda run: bound(run, 0.95, 0.96), flagged=False),
    story("a database that is just not busy", lambda run: bound(run, 0.4, 0.899), flagged=False),
    story("one that is just busy", lambda run: bound(run, 0.4, 0.905), flagged=True),
    story("a busy server", lambda run: bound(run, 0.97, 0.3), flagged=False),
    story("everybody waits for storage", lambda run: bound(run, 0.4, 0.3), flagged=False),
    story(
        "database and generator on one processor",
        lambda run: bound(run, 0.4, 0.6, 0.35, shared=True),
        flagged=True,
    ),
    story(
        "database and generator on processors of their own",
        lambda run: bound(run, 0.4, 0.6, 0.35),
        flagged=False,
    ),
    story("a program that is no service", lambda run: run, flagged=False),
)


def found_in(run: Records) -> list[Finding]:
    return list(check(run.evidence()))


def test_only_the_rate_is_flagged_and_it_can_only_be_higher() -> None:
    (finding,) = found_in(bound(honest_run(), 0.4, 0.96))
    assert (finding.figures, finding.effect) == (["wall"], "longer")
    assert finding.text == (
        "the database limited the peak: PostgreSQL used 96% of the time of its processors, "
        "but the server used only 40% of the time of its processors"
    )


def test_who_shares_a_processor_is_told() -> None:
    (finding,) = found_in(bound(honest_run(), 0.4, 0.6, 0.35, shared=True))
    assert "PostgreSQL used 60%" in finding.text
    assert "(95% together with the load generator)" in finding.text
    assert finding.values["database_share"] == pytest.approx(0.6, rel=0.01)


def test_a_bound_peak_among_honest_ones_is_found() -> None:
    """Half of the rate, and a database that is busy meanwhile."""
    name = peak_id(BEAST, DB)
    run = slowed(honest_peaks(), name, 2.0, database_ns=round(0.95 * WINDOW_NS))
    assert [one.cell for one in found_in(run)] == [name]
    assert found_in(slowed(honest_peaks(), peak_id(FASTAPI, DB), 2.0)) == []
