"""A conclusion is red only where an answer is.

The first lines: what was measured, where, and how much of it is fair.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from decision.test_answer import beyond
from evidence.honest_run import GO, JAVA, PYTHON, RUNTIMES, cell_id, honest_run
from evidence.honest_services import FASTIFY, VERTX, honest_services, service_cell
from evidence.records import SECOND, Records, reading
from fairness.checks.test_generator_delay import saying
from fairness.checks.test_warm_up import drifting
from report.conclusion.concluded import concluded, default_experiment, one_group, suite
from report.page.hostile import HOSTILE, hostile_programs
from report.page.test_poor_runs import without_executions
from report.test_requirements import requiring
from result.test_run import interrupted
from runfair.formats.host import ReferenceKind
from runfair.report.conclusion.conclusion import MOST


@pytest.mark.parametrize(
    ("run", "state", "badge"),
    [
        (honest_run(), "fair", "answered"),
        # The wall time is void, and CPU time was asked for.
        (one_group().with_launch_share(cell_id(GO), "foreign_ns", 0.2), "flagged", "with doubts"),
        (one_group().failing(cell_id(GO), 6), "void", "not answered"),
        (honest_services().with_loads(FASTIFY, beyond), "void", "objective missed"),
        (requiring("p99 < 1 ms"), "void", "requirement missed"),
        (without_executions(), None, "nothing yet"),
    ],
)
def test_its_state(run: Records, state: str | None, badge: str) -> None:
    found = concluded(run)
    assert (found.state, found.badge) == (state, badge)


def test_open_questions_are_those_without_an_answer() -> None:
    assert concluded(honest_run()).open == ()
    assert len(concluded(one_group().failing(cell_id(GO), 6)).open) == 1


def test_what_is_not_measured_yet_comes_last() -> None:
    run = default_experiment()
    _, services = [one.title for one in concluded(run).questions]
    left = tuple(one for one in run.executions if "/service/" in one.cell)
    found = concluded(replace(run, executions=left)).questions
    assert found[0].title == services
    assert [one.state for one in found] == ["answered", "open", "open"]


def test_variants_that_cannot_run_here_were_not_measured() -> None:
    run = one_group()
    assert fact(run, "Measured").startswith("sudoku in 4 languages")
    run = run.with_cell(cell_id(GO), unsupported="too old")
    assert fact(run, "Measured").startswith("sudoku in 3 languages")
    services = honest_services()
    assert "pay on 2 services" in fact(services, "Measured")
    alone = services.with_cell(service_cell(VERTX), unsupported="too old")
    assert "pay on 1 service ·" in fact(alone, "Measured")


def test_texts_are_plain() -> None:
    found = concluded(hostile_programs())
    texts = [text for _, text in found.facts] + list(found.doubts)
    for question in found.questions:
        texts += [
            question.title,
            *question.sentences,
            *(one for row in question.rows for one in row),
        ]
    assert "\x1b" in HOSTILE
    assert all(text.isprintable() for text in texts)


def test_an_honest_run_has_none() -> None:
    assert concluded(one_group()).doubts == ()


def test_what_concerns_several_cells_is_said_once_of_the_worst() -> None:
    run = one_group().with_launch_share(cell_id(GO), "foreign_ns", 0.1)
    run = run.with_launch_share(cell_id(PYTHON), "foreign_ns", 0.3)
    (doubt,) = concluded(run).doubts
    assert doubt.startswith("cpython and go: other processes used 30.0% of the processors' time")
    assert doubt.endswith(" (worst: cpython)")


def test_what_is_the_same_for_all_has_no_worst() -> None:
    run = one_group().with_launch_share(cell_id(GO), "foreign_ns", 0.1)
    run = run.with_launch_share(cell_id(PYTHON), "foreign_ns", 0.1)
    (doubt,) = concluded(run).doubts
    assert doubt.startswith("go and cpython: other processes used 10.0% of the processors' time")
    assert "worst" not in doubt


def test_the_worst_has_the_most_unsteady_executions() -> None:
    run = one_group().with_series(cell_id(GO), drifting, 2)
    doubt, *_ = concluded(run.with_series(cell_id(PYTHON), drifting, 5)).doubts
    assert "5 of 6 executions never became steady" in doubt
    assert doubt.endswith(" (worst: cpython)")


def test_without_a_number_none_is_the_worst() -> None:
    """The load generator's messages differ, but nothing says which matters more."""
    run = honest_services().with_loads(FASTIFY, saying("disturbance"), 1)
    doubt, *_ = concluded(run.with_loads(VERTX, saying("disturbance"), 3)).doubts
    assert "the load generator reports: seen" in doubt
    assert "worst" not in doubt and doubt.endswith(" (for example: fastify)")


def test_the_second_doubt_is_about_another_question() -> None:
    """Two doubts about a service are worse than those about the programs."""
    run = default_experiment()
    service = next(cell.id for cell in run.plan.cells if cell.service is not None)
    disturbed = run.with_launch_share(service, "foreign_ns", 0.9)
    first, second = concluded(disturbed.failing(service, 1, reason="no answer")).doubts
    assert first.startswith("fastify: 1 of 6 executions failed")
    assert "fastify" not in second


def test_failed_executions_come_first_and_are_not_too_few_as_well() -> None:
    run = one_group().with_calibration(noise_floor_cpu=0.2)
    first, second = concluded(run.failing(cell_id(GO), 1, reason="exit status 1")).doubts
    assert first == "go: 1 of 6 executions failed: exit status 1"
    assert second == (
        "the machine's noise floor of CPU time (the smallest detectable difference) is 20.0%, "
        "which is above the limit of 5%"
    )


def test_no_more_are_said_than_have_room() -> None:
    run = one_group().with_calibration(noise_floor_cpu=0.2).with_plan(profile="smoke")
    run = run.with_launch_share(cell_id(JAVA), "foreign_ns", 0.2).failing(cell_id(GO), 1)
    assert len(concluded(run).doubts) == MOST


def test_figures_that_nobody_asked_for_raise_none() -> None:
    """Wall times are flagged; CPU time is what is asked."""
    run = one_group()
    for runtime in RUNTIMES:
        run = run.with_launch_share(cell_id(runtime), "foreign_ns", 0.03)
    assert concluded(run).doubts == ()


def test_a_doubt_about_a_service_names_it_alone() -> None:
    run = honest_services().with_loads(FASTIFY, lambda load: load, 1)
    failing = run.failing(run.executions[0].cell, 1, reason="no answer")
    (doubt, *_) = concluded(failing).doubts
    assert doubt.split(":")[0] in ("fastify", "vertx")


def fact(run: Records, name: str) -> str:
    return dict(concluded(run).facts)[name]


def test_benchmarks_are_named_or_counted() -> None:
    assert fact(honest_run(), "Measured").startswith("sudoku in 4 languages · took ")
    assert fact(suite(4), "Measured").startswith("4 benchmarks in 6 languages")
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


@pytest.mark.parametrize(
    ("kind", "slow", "said"),
    [
        ("computing", 1.47, "its speed varied by 47%"),
        ("computing", 1.05, "noise floor 0.3%"),
        # A walk through memory varies on every machine.
        ("memory", 1.47, "noise floor 0.3%"),
    ],
)
def test_a_machine_whose_speed_varied_says_so(kind: ReferenceKind, slow: float, said: str) -> None:
    """The noise floor is that of a single chain of arithmetic, whose time hardly
    changes when other programs use the core."""
    run = honest_run()
    readings = tuple(
        reading(kind, one, slow if number % 2 else 1.0) for number, one in enumerate(run.executions)
    )
    assert fact(replace(run, readings=readings), "Machine").endswith(said)


def test_the_floor_of_several_hosts_is_the_greatest() -> None:
    run = honest_run()
    noisy = run.with_calibration(noise_floor_cpu=0.02).host.model_copy(update={"name": "noisy"})
    machine = fact(replace(run, hosts=(run.host, noisy)), "Machine")
    assert machine.startswith("2 hosts · ")
    assert machine.endswith("noise floor 2.0%")


def test_how_much_is_fair() -> None:
    assert fact(honest_run(), "Quality") == "all 48 figures fair"
    disturbed = honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2)
    assert fact(disturbed, "Quality") == "46 of 48 figures fair, 2 flagged (use with care)"
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
    assert fact(one, "Quality") == "17 of 18 figures fair, 1 flagged (use with care)"
    both = one.with_loads(FASTIFY, lambda load: load.first(36_886))
    assert fact(both, "Quality") == "all 16 figures fair"


def test_executions_that_overlap_are_counted_once() -> None:
    """Another host measured one execution for an hour meanwhile."""
    run = honest_services()
    first = min(run.executions, key=lambda one: one.launch.started_realtime_ns)
    hour = first.launch.model_copy(update={"wall_ns": 3600 * SECOND})
    overlapping = run.with_executions(
        first.cell,
        lambda one: one.model_copy(update={"launch": hour}) if one.id == first.id else one,
    )
    assert fact(overlapping, "Measured").endswith(" · took 60 min")
