"""Others on the processors of a cell."""

from __future__ import annotations

from typing import Any

import pytest

from evidence.honest_run import GCC, JAVA, cell_id, honest_run
from evidence.honest_services import VERTX, honest_services, on_services, service_cell
from evidence.records import MILLISECOND, SECOND, Records
from evidence.two_hosts import launched, on_two_hosts
from fairness.checks.test_throttling import all_told, quota
from fairness.stories import SMALL, Story
from runfair.fairness.checks.foreign_time import check
from runfair.fairness.verdict import verdicts
from runfair.formats.execution import Execution
from runfair.formats.plan import Drive, DrivenLoad

COLD = cell_id(GCC, mode="cold")


def driven_beside(run: Records) -> Records:
    """Every pass kept the generator busy for a third of the time, on the processors of the lab,
    which are the server's."""

    def change(record: Execution) -> Execution:
        load = DrivenLoad(
            iteration=0,
            name="set",
            elapsed_ns=record.launch.wall_ns,
            requests=1,
            misses=0,
            generator_share=0.31,
        )
        return record.model_copy(update={"driven": [load]})

    return run.with_executions(SMALL, change).with_plan(lab_processors=[0, 1])


def in_ticks(run: Records, share: float) -> Records:
    return run.with_launch_share(COLD, "foreign_ns", share).with_launches(
        COLD, foreign_source="stat"
    )


STORIES = (
    Story(
        "a service that ran already, who knows where",
        on_services(lambda run: run.hosted(VERTX, "url")),
        "warning",
        service_cell(VERTX),
        frozenset({"equal_conditions", "unequal_builds"}),
    ),
    Story(
        "a server's threads for its connections wait for each other",
        lambda run: run.with_launch_share(SMALL, "run_queue_ns", 0.3).with_cell(
            SMALL, drive=Drive(protocol="resp", connections=8, requests=10)
        ),
        None,
    ),
    Story(
        "the threads of a service wait for each other",
        on_services(
            lambda run: run.with_launch_share(service_cell(VERTX), "run_queue_ns", 0.1).with_cell(
                service_cell(VERTX), language="python"
            )
        ),
        None,
    ),
    Story(
        "threads that a program starts wait for each other",
        lambda run: run.with_launch_share(SMALL, "run_queue_ns", 0.9).with_cell(
            SMALL, starts_tasks=True
        ),
        None,
    ),
    Story(
        "a declared quota of half a processor makes a program wait",
        lambda run: quota(all_told(run)).with_launch_share(SMALL, "run_queue_ns", 0.5),
        None,
    ),
    Story(
        "others beside a program that starts threads",
        lambda run: run.with_launch_share(SMALL, "foreign_ns", 0.0501).with_cell(
            SMALL, starts_tasks=True
        ),
        "fault",
    ),
    Story(
        "others, or the ends of threads that no cgroup counted",
        lambda run: (
            run.with_launch_share(SMALL, "foreign_ns", 0.0501)
            .with_launches(SMALL, uncounted_ns=None)
            .with_cell(SMALL, starts_tasks=True)
        ),
        "warning",
        also=frozenset({"uncounted_time"}),
    ),
    Story(
        "the ends of one thread are short",
        lambda run: run.with_launch_share(SMALL, "foreign_ns", 0.0501).with_launches(
            SMALL, uncounted_ns=None
        ),
        "fault",
    ),
    Story(
        "the generator on its server's processors is no stranger",
        lambda run: driven_beside(run).with_launch_share(SMALL, "foreign_ns", 0.3),
        None,
        also=frozenset({"driver_bound"}),
    ),
    Story(
        "others just within 1%",
        lambda run: run.with_launch_share(SMALL, "foreign_ns", 0.0099),
        None,
    ),
    Story(
        "others just above 1%",
        lambda run: run.with_launch_share(SMALL, "foreign_ns", 0.0101),
        "warning",
    ),
    Story(
        "others just within 5%",
        lambda run: run.with_launch_share(SMALL, "foreign_ns", 0.0499),
        "warning",
    ),
    Story(
        "others just above 5%",
        lambda run: run.with_launch_share(SMALL, "foreign_ns", 0.0501),
        "fault",
    ),
    Story("others not told", lambda run: run.with_launches(SMALL, foreign_ns=None), "limitation"),
    Story(
        "neither others nor the run queue told: nothing shows that it was alone",
        lambda run: run.with_launches(SMALL, foreign_ns=None, run_queue_ns=None),
        "warning",
    ),
    Story(
        "neither is told of a single execution",
        lambda run: run.with_launches(SMALL, 1, foreign_ns=None, run_queue_ns=None),
        "warning",
    ),
    Story(
        "others not told of a single execution, whose run queue is",
        lambda run: run.with_launches(SMALL, 1, foreign_ns=None),
        "limitation",
    ),
    Story(
        "others not told of a JVM: its own threads wait in the run queue too",
        lambda run: run.with_launches(cell_id(JAVA), foreign_ns=None),
        "warning",
        cell_id(JAVA),
    ),
    Story(
        "others not told of a process with children, which wait for each other",
        lambda run: run.with_launches(SMALL, foreign_ns=None, processes=2),
        "warning",
    ),
    Story("within the kernel's ticks", lambda run: in_ticks(run, 0.015), None, COLD),
    Story("beyond the kernel's ticks", lambda run: in_ticks(run, 0.03), "warning", COLD),
    Story(
        "too short for the kernel's ticks",
        lambda run: run.with_launches(
            COLD, wall_ns=100 * MILLISECOND, foreign_ns=0, run_queue_ns=0, foreign_source="stat"
        ),
        "limitation",
        COLD,
    ),
    Story(
        "too short for the kernel's ticks, and no run queue told",
        lambda run: run.with_launches(
            COLD, wall_ns=100 * MILLISECOND, foreign_ns=0, run_queue_ns=None, foreign_source="stat"
        ),
        "warning",
        COLD,
    ),
    Story("stolen", lambda run: run.with_launch_share(SMALL, "steal_ns", 0.011), "warning"),
    Story("hardly stolen", lambda run: run.with_launch_share(SMALL, "steal_ns", 0.009), None),
    Story("steal not told", lambda run: run.with_launches(SMALL, steal_ns=None), "limitation"),
    Story(
        "waiting in the run queue",
        lambda run: run.with_launch_share(SMALL, "run_queue_ns", 0.02),
        "warning",
    ),
    Story(
        "waiting in the run queue for long",
        lambda run: run.with_launch_share(SMALL, "run_queue_ns", 0.06),
        "fault",
    ),
    Story(
        "a JVM's compiler threads wait in the run queue",
        lambda run: run.with_launch_share(cell_id(JAVA), "run_queue_ns", 0.3),
        None,
    ),
    Story(
        "delay in the run queue not told",
        lambda run: run.with_launches(SMALL, run_queue_ns=None),
        "limitation",
    ),
)


def test_wall_time_is_fair_if_the_program_hardly_waited() -> None:
    """Others used the processor while the program slept: it was ready for a thousandth of the time
    in which it did not run."""
    run = honest_run().with_launch_share(SMALL, "foreign_ns", 0.0499).evidence()
    (cell,) = [one for one in run.cells if one.cell.id == SMALL]
    wall = verdicts(cell, list(check(run))).figures["wall"]
    assert [one.check for one in wall.findings] == ["foreign_time"]
    assert wall.state == "fair" and wall.bounds is not None


@pytest.mark.parametrize(("share", "cpu"), [(0.0499, "fair"), (0.0501, "flagged")])
def test_beyond_the_void_share_cpu_time_is_flagged(share: float, cpu: str) -> None:
    idle = honest_run().idling(SMALL, 0.5).with_launch_share(SMALL, "run_queue_ns", 0.04)
    run = idle.with_launch_share(SMALL, "foreign_ns", share).evidence()
    (cell,) = [one for one in run.cells if one.cell.id == SMALL]
    figures = verdicts(cell, list(check(run))).figures
    assert figures["cpu"].state == cpu
    assert figures["wall"].state == "flagged"
    assert figures["wall"].bounds is not None
    assert figures["memory"].state == "fair"


@pytest.mark.parametrize(
    ("language", "severities"),
    [
        ("c", ["warning"]),
        ("c++", ["warning"]),
        ("rust", ["warning"]),
        ("python", ["warning"]),
        ("javascript", []),
        ("go", []),
        ("java", []),
    ],
)
def test_whose_one_thread_waits_in_the_run_queue(language: str, severities: list[str]) -> None:
    run = honest_run().with_cell(SMALL, language=language)
    run = run.with_launch_share(SMALL, "run_queue_ns", 0.02)
    assert [one.severity for one in check(run.evidence())] == severities


@pytest.mark.parametrize(
    ("changes", "severities"),
    [
        ({"threads": 2}, []),
        ({"drive": Drive(protocol="resp", connections=2, requests=10)}, []),
        ({"drive": Drive(protocol="resp", connections=1, requests=10)}, ["warning"]),
    ],
)
def test_threads_that_wait_for_each_other(changes: dict[str, Any], severities: list[str]) -> None:
    run = honest_run().with_cell(SMALL, **changes).with_launch_share(SMALL, "run_queue_ns", 0.02)
    assert [one.severity for one in check(run.evidence())] == severities


@pytest.mark.parametrize("told", ["processes", "processes_started"])
def test_the_children_of_a_process_wait_for_each_other(told: str) -> None:
    run = honest_run().with_launch_share(SMALL, "run_queue_ns", 0.3)
    (finding,) = check(run.with_launches(SMALL, **{told: 2}).evidence())
    assert finding.severity == "limitation"
    assert finding.text == "run-queue delay is unknown"
    (finding,) = check(run.with_launches(SMALL, 2, **{told: 2}).evidence())
    assert finding.values == {"share": pytest.approx(0.3)}


def test_a_quieter_machine_does_not_help_an_external_service() -> None:
    (finding,) = check(honest_services().hosted(VERTX, "url").evidence())
    assert (finding.severity, finding.advice) == ("warning", "")


@pytest.mark.parametrize("told", ["throttled_ns", "throttled_periods", "ambient_throttled_ns"])
def test_a_throttled_program_also_waits_for_its_quota(told: str) -> None:
    run = honest_run().with_launch_share(SMALL, "run_queue_ns", 0.3)
    (finding,) = check(run.with_launches(SMALL, **{told: 1}).evidence())
    assert finding.severity == "limitation"
    assert finding.text == "run-queue delay is unknown"


@pytest.mark.parametrize(("share", "severities"), [(0.0199, []), (0.0201, ["warning"])])
def test_what_others_took_is_of_all_the_processors_time(
    share: float, severities: list[str]
) -> None:
    run = honest_run().with_launches(SMALL, processors=[1, 2])
    run = run.with_launch_share(SMALL, "foreign_ns", share)
    assert [one.severity for one in check(run.evidence())] == severities


def test_a_generator_elsewhere_explains_nothing() -> None:
    """What others took on the server's own processors was not the client's doing."""
    run = driven_beside(honest_run()).with_plan(lab_processors=[0])
    found = check(run.with_launch_share(SMALL, "foreign_ns", 0.3).evidence())
    assert [one.severity for one in found] == ["fault", "warning"]


def test_the_generator_is_where_it_ran_not_where_the_plan_has_it() -> None:
    run = driven_beside(honest_run()).with_records(SMALL, lab_processors=[0])
    found = check(run.with_launch_share(SMALL, "foreign_ns", 0.3).evidence())
    assert [one.severity for one in found] == ["fault", "warning"]


def test_both_counters_are_too_coarse_for_a_short_process() -> None:
    run = honest_run().with_launches(
        COLD, wall_ns=100 * MILLISECOND, foreign_ns=0, run_queue_ns=0, foreign_source="stat"
    )
    own, steal = (one.text for one in check(run.evidence()))
    assert own.startswith("it is unknown how much") and "other processes" in own
    assert steal.startswith("it is unknown how much") and "steal time" in steal


def test_foreign_time_that_may_be_the_programs_own_is_reported_once() -> None:
    run = honest_run().with_cell(SMALL, starts_tasks=True)
    run = run.with_launches(SMALL, 1, uncounted_ns=None)
    (finding,) = check(run.with_launch_share(SMALL, "foreign_ns", 0.2).evidence())
    assert finding.severity == "warning"
    assert finding.text == (
        "other processes seem to have used 20.0% of the processors' time, but some of this time "
        "may be the last microseconds of the program's own threads, which the kernel does not "
        "count for the program"
    )


@pytest.mark.parametrize(("share", "said"), [(0.25, "25.0%"), (1.0, "all"), (1.2, "all")])
def test_no_part_is_greater_than_the_whole(share: float, said: str) -> None:
    run = honest_run().with_launch_share(SMALL, "foreign_ns", share)
    assert next(check(run.evidence())).text == (
        f"other processes used {said} of the processors' time"
    )


def test_each_host_of_a_service_is_examined() -> None:
    assert [*check(on_two_hosts().evidence())] == []
    run = on_two_hosts(launched(foreign_ns=2 * SECOND)).evidence()
    texts = [one.text for one in check(run) if one.cell == service_cell(VERTX)]
    assert texts[0] == "second: other processes used 7.7% of the processors' time"
    assert all(text.startswith("second: ") for text in texts)
