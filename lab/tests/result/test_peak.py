"""The result of a service at its peak, against a run whose truth is known."""

from __future__ import annotations

import pytest

from evidence.honest_peaks import (
    BEAST,
    BUSY,
    CONNECTIONS,
    DB,
    FASTAPI,
    JSON,
    WINDOW_NS,
    Service,
    Workload,
    honest_peaks,
    peak_id,
    slowed,
    true_cpu_ns,
)
from evidence.records import Records
from result.test_run import result_of
from runfair.fairness.figures import PERCENTILES
from runfair.formats.peak_result import PeakResult
from runfair.formats.result import CellResult, Figure
from runfair.result.peak import cpu_of, rate_of


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
