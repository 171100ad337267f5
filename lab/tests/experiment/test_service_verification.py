"""What `verify` verifies of services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from experiment.service_plans import VARIANTS
from runfair.catalogue.service import service_benchmarks
from runfair.errors import UserMistake
from runfair.experiment import service_verification
from runfair.experiment.service_verification import (
    VerifiedService,
    verify_services,
    wanted_services,
)
from runfair.formats.plan import Cell
from runfair.machine.launching import Launcher

KNOWN = service_benchmarks()


@pytest.mark.usefixtures("service_machine")
def test_services_have_the_threads_and_workloads_that_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells: list[Cell] = []

    def verified(cell: Cell, *_: Any) -> VerifiedService:
        cells.append(cell)
        return VerifiedService(cell.id)

    monkeypatch.setattr(service_verification, "_verified", verified)
    wanted = wanted_services([KNOWN["techempower"]], ["node-http"], ["fortunes", "default"])
    verify_services(wanted, VARIANTS, [], "tiny", 2, cast(Launcher, None), [0], lambda _: None)
    assert [(cell.workload, cell.threads) for cell in cells] == [("fortunes", 2), ("json", 2)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], {"payments", "techempower"}),
        (["vertx"], {"payments", "techempower"}),
        (["helidon"], {"techempower"}),
    ],
)
def test_each_benchmark_verifies_the_services_that_it_has(
    names: Sequence[str], expected: set[str]
) -> None:
    found = wanted_services(list(KNOWN.values()), names, ["all"])
    assert {one.benchmark.name for one in found} == expected
    assert {name for one in found for name in one.frameworks} >= set(names)


def test_all_workloads_are_those_with_rules() -> None:
    suite, own = wanted_services([KNOWN["techempower"], KNOWN["payments"]], [], ["all"])
    assert "multiple-queries-20" in suite.workloads
    assert "multiple-queries-5" not in suite.workloads
    assert own.workloads == ["pay", "route", "order"]


def test_unknown_names_are_mistakes() -> None:
    with pytest.raises(UserMistake, match="no service is named 'helidn'; choose from helidon"):
        wanted_services(list(KNOWN.values()), ["helidn"], ["all"])
    with pytest.raises(UserMistake, match="no workload of techempower is named 'fortune'"):
        wanted_services([KNOWN["techempower"]], [], ["fortune"])
