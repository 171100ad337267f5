"""The honest run of peaks is honest: no check says anything of it. Its figures are the truth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_peaks import (
    BEAST,
    BUSY,
    CONNECTIONS,
    DB,
    FASTAPI,
    GENERATOR_SHARE,
    JSON,
    honest_peaks,
    peak_id,
    slowed,
    true_cpu_ns,
)
from runfair.evidence.cell import CellEvidence
from runfair.evidence.peak import PeakEvidence, peak_evidence
from runfair.fairness.checks import CHECKS, Check


def cell_of(name: str) -> CellEvidence:
    return next(one for one in honest_peaks().evidence().cells if one.cell.id == name)


def first(name: str) -> PeakEvidence:
    found = peak_evidence(cell_of(name).completed[0])
    assert found is not None
    return found


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.NAME)
def test_every_check_passes_it(check: Check) -> None:
    assert list(check.check(honest_peaks().evidence())) == []


@pytest.mark.parametrize("service", [BEAST, FASTAPI], ids=lambda one: one.name)
def test_the_server_is_busy_and_the_rate_follows(service: object) -> None:
    assert service in (BEAST, FASTAPI)
    of = BEAST if service is BEAST else FASTAPI
    found = first(peak_id(of, JSON))
    assert found.server_share == pytest.approx(BUSY, rel=0.01)
    assert found.rate_per_s == pytest.approx(1e9 * BUSY / true_cpu_ns(of, JSON), rel=0.02)
    assert found.switches == pytest.approx(0.1, rel=0.2)
    assert (found.database_cpu_ns, found.database_share, found.beside_share) == (None, None, None)
    assert not found.shared


def test_the_database_is_accounted_for_apart() -> None:
    found = first(peak_id(BEAST, DB))
    assert found.database_cpu_ns == pytest.approx(DB.database_ns, rel=0.001)
    assert found.database_share == pytest.approx(found.rate_per_s * DB.database_ns / 1e9, rel=0.01)
    assert found.shared
    assert found.database_share is not None
    assert found.beside_share == pytest.approx(found.database_share + GENERATOR_SHARE, rel=1e-6)


def test_a_database_of_its_own_processors_is_not_shared() -> None:
    one = cell_of(peak_id(BEAST, DB)).completed[0]
    assert one.record.peak is not None
    own = one.record.peak.model_copy(update={"database_processors": [2, 3]})
    record = one.record.model_copy(update={"peak": own})
    alone = peak_evidence(replace(one, record=record))
    assert alone is not None
    assert not alone.shared
    assert alone.beside_share == alone.database_share
    shared = first(peak_id(BEAST, DB)).database_share
    assert alone.database_share == pytest.approx((shared or 0) / 2)


def test_a_service_that_waits_has_the_same_cost_and_a_lower_rate() -> None:
    name = peak_id(BEAST, DB, CONNECTIONS[1])
    run = slowed(honest_peaks(), name, 2.0)
    cell = next(one for one in run.evidence().cells if one.cell.id == name)
    waiting = peak_evidence(cell.completed[0])
    usual = peak_evidence(cell_of(name).completed[0])
    assert waiting is not None
    assert usual is not None
    assert waiting.rate_per_s == pytest.approx(usual.rate_per_s / 2, rel=0.01)
    assert waiting.server_share == pytest.approx(usual.server_share / 2, rel=0.01)


def test_a_failed_execution_has_none() -> None:
    run = honest_peaks().failing(peak_id(BEAST, DB), 1)
    cell = next(one for one in run.evidence().cells if one.cell.id == peak_id(BEAST, DB))
    assert [peak_evidence(one) for one in cell.failed] == [None]
