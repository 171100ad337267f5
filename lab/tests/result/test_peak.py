"""The result of a service at its peak, against a run whose truth is known.

Composite scores by class, against a run whose truth is known.
"""

from __future__ import annotations

from math import exp, fsum, log

import pytest

from evidence.honest_peaks import (
    BEAST,
    BUSY,
    CONNECTIONS,
    DB,
    FASTAPI,
    JSON,
    MICRO,
    NET_HTTP,
    PLATFORM,
    SCORES,
    TESTS,
    VERTX,
    WINDOW_NS,
    Service,
    Workload,
    honest_peaks,
    only,
    peak_id,
    slowed,
    true_cpu_ns,
)
from evidence.honest_run import GCC
from evidence.records import Records
from result.test_run import result_of
from runfair.fairness.figures import PERCENTILES
from runfair.formats.peak import Classification
from runfair.formats.peak_result import PeakResult, ScoreResult, ScoreRow
from runfair.formats.result import CellResult, Figure
from runfair.formats.service import OWN, Hosting
from runfair.result.peak import contender, cpu_of, peak_cells, rate_of
from runfair.result.run_differences import asked


def cell_of(run: Records, name: str) -> CellResult:
    return next(cell for cell in result_of(run).cells if cell.id == name)


def peak_of(run: Records, service: Service, test: Workload) -> PeakResult:
    found = cell_of(run, peak_id(service, test)).peak
    assert found is not None
    return found


@pytest.mark.parametrize("service", [BEAST, FASTAPI], ids=lambda one: one.name)
@pytest.mark.parametrize("test", [JSON, DB], ids=lambda one: one.name)
def test_the_figures_are_the_truth(service: Service, test: Workload) -> None:
    found = peak_of(honest_peaks(), service, test)
    cpu_ns = true_cpu_ns(service, test)
    assert found.service == service.name
    assert (found.connections, found.pipeline) == (CONNECTIONS[0], 1)
    assert found.cpu_ns.value == pytest.approx(cpu_ns, rel=0.01)
    assert found.rate_per_s.value == pytest.approx(1e9 * BUSY / cpu_ns, rel=0.02)
    assert found.rate_per_processor_s == found.rate_per_s.value
    assert found.database_cpu_ns == (pytest.approx(DB.database_ns, 0.001) if test is DB else None)
    assert found.with_database == (test is DB)
    assert not found.database_bound
    assert found.system_calls is not None
    assert (found.system_calls.read, found.system_calls.wait) == (1.0, 0.1)
    for one in (found.rate_per_s, found.cpu_ns):
        assert one.verdict == "fair"
        assert one.interval is not None
        assert one.value is not None
        assert one.interval[0] < one.value < one.interval[1]


def test_there_is_no_percentile() -> None:
    cell = cell_of(honest_peaks(), peak_id(BEAST, JSON))
    assert set(cell.figures) == {"wall", "cpu", "memory"}
    assert not set(cell.figures) & set(PERCENTILES)
    assert cell.service is None
    assert not cell.is_program


def test_a_bound_peak_is_a_lower_limit_and_its_cost_stays_fair() -> None:
    run = slowed(honest_peaks(), peak_id(BEAST, DB), 2.0, database_ns=round(0.95 * WINDOW_NS))
    found = peak_of(run, BEAST, DB)
    assert found.database_bound
    assert found.rate_per_s.verdict == "flagged"
    assert found.cpu_ns.verdict == "fair"
    assert peak_of(run, FASTAPI, DB).rate_per_s.verdict == "fair"


def test_more_processors_share_the_rate() -> None:
    one = next(cell for cell in honest_peaks().plan.cells if cell.id == peak_id(BEAST, JSON))
    factors = one.factors.model_copy(update={"processors": 2})
    found = peak_of(honest_peaks().with_cell(one.id, factors=factors), BEAST, JSON)
    if found.rate_per_s.value is not None:
        assert found.rate_per_processor_s == found.rate_per_s.value / 2


def figure(**changes: object) -> Figure:
    values = {"unit": "ns", "value": 1e6, "interval": (0.5e6, 2e6), "verdict": "fair", **changes}
    return Figure.model_validate(values)


def test_a_rate_is_the_other_way_round() -> None:
    found = rate_of(figure(bounds=(0.25e6, None), verdict="flagged"))
    assert found.value == 1e6
    assert found.interval == (0.5e6, 2e6)
    assert found.bounds == (None, 4e6)
    cost = cpu_of(figure(bounds=(0.25e6, None)))
    assert (cost.value, cost.interval, cost.bounds) == (1000, (500, 2000), (250, None))


def test_a_void_figure_has_no_number() -> None:
    void = figure(value=None, interval=None, verdict="void")
    for found in (rate_of(void), cpu_of(void), rate_of(None)):
        assert (found.value, found.interval, found.verdict) == (None, None, "void")


def test_a_cell_that_cannot_run_here_has_the_reason() -> None:
    run = honest_peaks().with_cell(peak_id(BEAST, JSON), unsupported="no compiler")
    cell = cell_of(run, peak_id(BEAST, JSON))
    assert cell.absent == "unsupported: no compiler"
    assert cell.peak is not None
    assert cell.peak.rate_per_s.value is None


def score_of(run: Records, name: str, classification: Classification) -> ScoreResult:
    (found,) = (
        one
        for one in result_of(run).scores
        if (one.name, one.classification) == (name, classification)
    )
    return found


def row_of(run: Records, name: str, service: str) -> ScoreRow:
    rows = [row for one in result_of(run).scores if one.name == name for row in one.rows]
    (found,) = (row for row in rows if row.service == service)
    return found


def test_each_class_has_its_own_best() -> None:
    for classification, best, other in ((PLATFORM, BEAST, NET_HTTP), (MICRO, VERTX, FASTAPI)):
        for name in ("sum", "shares"):
            rows = score_of(honest_peaks(), name, classification).rows
            assert [row.service for row in rows] == [best.name, other.name]
            assert rows[0].value == pytest.approx(100)
            # Every test costs the second as many times more as plaintext does.
            assert rows[1].value == pytest.approx(100 * best.cpu_ns / other.cpu_ns, rel=0.03)
            assert rows[1].interval is not None
            assert rows[1].interval[0] < (rows[1].value or 0) < rows[1].interval[1]
            assert {row.verdict for row in rows} == {"fair"}


def test_no_score_mixes_classes() -> None:
    found = result_of(honest_peaks()).scores
    assert len(found) == len(SCORES) * 2
    for one in found:
        assert len(one.rows) == 2
        assert (one.version, one.verified) == ((3, False) if one.name == "sum" else (1, True))


def test_the_peak_of_a_test_is_the_best_of_its_connections() -> None:
    cells = result_of(honest_peaks()).cells
    for members in peak_cells(cells).values():
        for tests in members.values():
            assert {cell.peak.connections for cell in tests.values() if cell.peak} == {
                CONNECTIONS[0]
            }
    # With waits at few connections, the peak has many.
    waiting = slowed(honest_peaks(), peak_id(BEAST, JSON), 3.0)
    found = peak_cells(result_of(waiting).cells)["techempower", "small", PLATFORM]
    (mine,) = (tests for one, tests in found.items() if one.service == BEAST.name)
    assert mine["json"].id == peak_id(BEAST, JSON, CONNECTIONS[1])
    assert mine["plaintext"].id.endswith(f"{CONNECTIONS[0]}c/beast")


def waiting_database() -> Records:
    """The fastest waits for its database at every number of connections."""
    run = honest_peaks()
    for count in CONNECTIONS:
        name = peak_id(BEAST, DB, count)
        run = slowed(run, name, 2.0, database_ns=round(0.95 * WINDOW_NS))
    return run


def test_a_bound_database_lowers_the_sum_and_leaves_the_shares() -> None:
    """Shares of a test with a database are of its CPU time, which the database does not change."""
    honest, bound = honest_peaks(), waiting_database()
    first, second = (row_of(run, "sum", "net-http").value for run in (honest, bound))
    assert first is not None
    assert second is not None
    assert second > first * 1.01
    summed = row_of(bound, "sum", "beast")
    assert (summed.verdict, summed.database_bound) == ("flagged", ["single-query"])
    shared = row_of(bound, "shares", "beast")
    assert (shared.verdict, shared.database_bound) == ("fair", [])
    assert row_of(bound, "shares", "net-http").value == pytest.approx(
        row_of(honest, "shares", "net-http").value, rel=0.01
    )


def test_a_score_is_no_more_certain_than_its_tests() -> None:
    """The machine's speed drifted by 10%, so each rate has bounds and no score is known better."""
    for name in ("sum", "shares"):
        before = row_of(honest_peaks(), name, "net-http").interval
        after = row_of(honest_peaks().with_calibration(reference_drift=0.1), name, "net-http")
        assert before is not None and after.interval is not None
        assert after.interval[0] < 0.97 * before[0] and before[1] * 1.03 < after.interval[1]


def test_a_score_with_a_test_that_has_an_open_end_has_no_interval() -> None:
    assert row_of(honest_peaks(), "sum", "beast").interval is not None
    run = honest_peaks()
    for count in CONNECTIONS:
        name = peak_id(BEAST, DB, count)
        run = run.with_launch_share(name, "foreign_ns", 0.3).with_launches(
            name, foreign_source="stat", run_queue_ns=None
        )
    row = row_of(run, "sum", "beast")
    assert row.value is not None
    assert row.interval is None


def test_missing_cpu_time_makes_the_least_share_smaller() -> None:
    before = run = honest_peaks()
    for count in CONNECTIONS:
        run = run.with_launch_share(peak_id(NET_HTTP, DB, count), "uncounted_ns", 0.3)
    first, second = (row_of(one, "shares", "net-http").interval for one in (before, run))
    assert first is not None and second is not None
    assert second[0] < 0.97 * first[0]
    assert second[1] == pytest.approx(first[1])


def test_the_weights_are_those_of_the_plan() -> None:
    """With a thousand times the weight, the test with a database decides."""
    (alone,) = (one for one in SCORES if one.name == "sum")
    weights = {"json": 1.0, "single-query": 1000.0}
    heavy = alone.model_copy(update={"weights": weights})
    run = slowed(honest_peaks(), peak_id(NET_HTTP, DB), 4.0)
    run = slowed(run, peak_id(NET_HTTP, DB, CONNECTIONS[1]), 4.0)
    run = run.with_plan(scores={"techempower": [heavy]})
    rates = {
        one.name: fsum(
            weight * 1e9 / true_cpu_ns(one, test) / (4.0 if one is NET_HTTP and test is DB else 1)
            for test, weight in ((JSON, 1.0), (DB, 1000.0))
        )
        for one in (BEAST, NET_HTTP)
    }
    expected = 100 * rates[NET_HTTP.name] / rates[BEAST.name]
    assert row_of(run, "sum", "net-http").value == pytest.approx(expected, rel=0.03)


def test_shares_are_a_weighted_geometric_mean() -> None:
    shares = next(one for one in SCORES if one.name == "shares")
    uneven = shares.model_copy(update={"weights": {"json": 3.0, "plaintext": 1.0}})
    run = honest_peaks()
    for count in CONNECTIONS:
        run = slowed(run, peak_id(NET_HTTP, JSON, count), 2.0)
    run = run.with_plan(scores={"techempower": [uneven]})
    ratio = BEAST.cpu_ns / NET_HTTP.cpu_ns
    expected = 100 * exp((3 * log(ratio / 2) + log(ratio)) / 4)
    assert row_of(run, "shares", "net-http").value == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("name", ["sum", "shares"])
def test_a_framework_that_lacks_a_test_stays_and_says_so(name: str) -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.with_cell(peak_id(NET_HTTP, DB, count), unsupported="the floor has no database")
    row = row_of(run, name, "net-http")
    assert row.value is None
    assert row.reason == "single-query: unsupported: the floor has no database"
    assert row_of(run, name, "beast").value == pytest.approx(100)


def test_a_test_that_was_not_measured_leaves_no_score() -> None:
    run = only(honest_peaks(), BEAST, NET_HTTP, tests=[one for one in TESTS if one is not DB])
    for name in ("sum", "shares"):
        row = row_of(run, name, "beast")
        assert (row.value, row.reason) == (None, "the run did not measure single-query")


def test_a_void_test_leaves_no_score() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.failing(peak_id(NET_HTTP, JSON, count), 6)
    row = row_of(run, "sum", "net-http")
    assert (row.value, row.reason) == (None, "json has no number")


def test_a_suite_without_scores_has_none() -> None:
    assert result_of(honest_peaks().with_plan(scores={})).scores == []


def test_how_a_service_is_run_is_not_part_of_its_work() -> None:
    (cell, *_) = honest_peaks().plan.cells
    assert cell.peak is not None
    moved = cell.peak.model_copy(update={"hosting": Hosting(kind="command", port=8080)})
    other = cell.model_copy(update={"peak": moved})
    assert cell.group == other.group
    assert asked(cell) == asked(other)
    assert repr(asked(cell)) == repr(asked(other))  # exports hash this text
    assert "hosting" not in repr(asked(cell))


def test_a_service_of_the_user_has_the_name_that_the_user_gave() -> None:
    run = honest_peaks().with_cells(lambda cell: cell.tier == BEAST.name, tier=OWN)
    names = {contender(cell).service for cell in result_of(run).cells}
    assert GCC.name in names
    assert OWN not in names
