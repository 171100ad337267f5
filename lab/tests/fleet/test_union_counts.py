"""The counts of a load that several hosts sent."""

from __future__ import annotations

import numpy as np
import pytest

from runfair.fleet.union_counts import failures_each_of, requests_of
from runfair.formats.load_result import LoadResult
from simulated.doubts import requests_of as simulated
from simulated.service_load import Load


def result_of(failing: float, failures_each: float, check_share: float = 1.0) -> LoadResult:
    load = Load(simulated(np.random.default_rng(1), late=0.0)[0], 1000.0)
    failed = load.failing(failing, "wrong_body") if failing else load
    tests = load.result.tests.model_copy(update={"failures_each": failures_each})
    return failed.telling(check_share=check_share, tests=tests.model_dump()).result


def test_an_outage_that_all_hosts_saw_is_one_event() -> None:
    """Of 1,200 requests of each of two hosts, 60 failed in the same second."""
    hosts = [result_of(1 / 20, 60.0)] * 2
    assert failures_each_of(hosts) == pytest.approx(120, rel=0.01)


def test_a_host_without_an_outage_adds_no_dependence() -> None:
    assert failures_each_of([result_of(1 / 20, 60.0), result_of(0, 1.0)]) == 60
    assert failures_each_of([result_of(0, 1.0)] * 3) == 1


def test_the_compared_bodies_of_all_hosts_are_added() -> None:
    parts = [result_of(1 / 20, 1.0, 0.5).requests, result_of(0, 1.0, 0.5).requests]
    whole = requests_of(["first", "second"], parts)
    assert (whole.checkable, whole.checked, whole.wrong_of_checked) == (2_400, 1_200, 60)
    assert whole.failures.wrong_body == whole.failed == 60
