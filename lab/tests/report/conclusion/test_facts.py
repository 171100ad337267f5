"""The first lines: what was measured, where, and how much of it is fair."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_run import GO, cell_id, honest_run
from evidence.honest_services import FASTIFY, VERTX, honest_services
from evidence.records import SECOND, Records
from report.conclusion.concluded import concluded, default_experiment, suite
from result.test_run import interrupted


def fact(run: Records, name: str) -> str:
    return dict(concluded(run).facts)[name]


def test_benchmarks_are_named_or_counted() -> None:
    assert fact(honest_run(), "Measured").startswith("sudoku in 4 languages · took ")
    assert fact(suite(3), "Measured").startswith("3 benchmarks in 6 languages")
    mixed = fact(default_experiment(), "Measured")
    assert "benchmark-0000 and benchmark-0001 in 6 languages, pay on 2 services" in mixed


def test_an_interruption_is_no_part_of_the_time() -> None:
    run = honest_services()
    whole = fact(run, "Measured")
    last = run.executions[-1]
    later = last.launch.model_copy(
        update={"started_realtime_ns": last.launch.started_realtime_ns + 10**6 * SECOND}
    )
    resumed = run.with_executions(
        last.cell,
        lambda one: one.model_copy(update={"launch": later}) if one.id == last.id else one,
    )
    assert fact(resumed, "Measured") == whole


@pytest.mark.parametrize(
    ("virtualised", "said"),
    [
        ("guest (KVM)", "2 CPUs (a processor, KVM guest), "),
        ("guest", "(a processor, guest), "),
        ("no", "(a processor), "),
    ],
)
def test_the_machine_is_one_line(virtualised: str, said: str) -> None:
    machine = fact(honest_run().with_host(virtualised=virtualised), "Machine")
    assert said in machine
    assert machine.endswith("16 GiB, Linux 6.1 · noise floor 0.3%")
    told = fact(honest_run().with_host(kernel="Linux 6.18.44-fc"), "Machine")
    assert "16 GiB, Linux 6.18 · " in told
    assert fact(honest_run().with_host(calibration=None), "Machine").endswith("not calibrated")


def test_a_quiet_machine_has_a_noise_floor_above_nothing() -> None:
    quiet = honest_run().with_calibration(noise_floor_cpu=0.0004)
    assert fact(quiet, "Machine").endswith("noise floor < 0.1%")


def test_the_floor_of_several_hosts_is_the_greatest() -> None:
    run = honest_run()
    noisy = run.with_calibration(noise_floor_cpu=0.02).host.model_copy(update={"name": "noisy"})
    machine = fact(replace(run, hosts=(run.host, noisy)), "Machine")
    assert machine.startswith("2 hosts · ")
    assert machine.endswith("noise floor 2.0%")


def test_how_much_is_fair() -> None:
    assert fact(honest_run(), "Quality") == "all 48 figures fair"
    disturbed = honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2)
    assert fact(disturbed, "Quality") == "46 of 48 figures fair, 2 flagged (with care)"
    assert fact(interrupted(), "Quality").endswith("; incomplete: ./runfair resume")
    lost = honest_run().failing(cell_id(GO), 6)
    assert "45 of 48 figures fair, 3 void (unusable);" in fact(lost, "Quality")
    failed = honest_run().failing(cell_id(GO), 1)
    assert fact(failed, "Quality").endswith("; 1 execution failed")


def test_void_figures_of_few_kinds_are_named() -> None:
    unmeasured = honest_run().with_starts(cell_id(GO), cpu_clock_resolution_ns=10**12)
    assert fact(unmeasured, "Quality") == "47 of 48 figures fair, 1 void (unusable: CPU time)"


def test_a_percentile_that_no_service_had_requests_enough_for_is_left_out() -> None:
    """p99.99 needs 36,887 requests."""
    run = honest_services()
    assert fact(run, "Quality") == "all 18 figures fair"
    one = run.with_loads(VERTX, lambda load: load.first(36_886))
    assert fact(one, "Quality") == "17 of 18 figures fair, 1 flagged (with care)"
    both = one.with_loads(FASTIFY, lambda load: load.first(36_886))
    assert fact(both, "Quality") == "all 16 figures fair"
