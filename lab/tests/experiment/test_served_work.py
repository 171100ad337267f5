"""The services of a section, as their names state them."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.catalogue.experiment import Serve
from runfair.catalogue.service import ServiceBenchmark, service_benchmarks
from runfair.experiment.served_work import ServedWork

PAYMENTS = service_benchmarks()["payments"]
FRAMEWORKS = list(PAYMENTS.frameworks)


def named(*services: str, benchmark: ServiceBenchmark | None = PAYMENTS) -> list[str]:
    serve = Serve(benchmark="payments", services=list(services), rate=1)
    work = ServedWork(serve, "payments", "pay", "tiny", benchmark, None, Path("traffic.jsonl"))
    return work.services


@pytest.mark.parametrize(
    ("services", "meant"),
    [
        (["net-http", "axum"], ["net-http", "axum"]),
        (["net-http", "net-http"], ["net-http"]),
        (["all"], FRAMEWORKS),
        # The first service is the baseline, so it stays the first.
        (["mine", "net-http", "all"], ["mine", "net-http", *FRAMEWORKS]),
    ],
)
def test_all_stands_for_every_framework(services: list[str], meant: list[str]) -> None:
    assert len(FRAMEWORKS) > 10
    assert named(*services) == list(dict.fromkeys(meant))


def test_without_a_benchmark_all_is_a_name() -> None:
    assert named("all", benchmark=None) == ["all"]
