"""Others on the processors of a cell."""

from __future__ import annotations

import pytest

from fairness.runs import GCC, JAVA, MILLISECOND, Records, cell_id, honest_run
from fairness.stories import SMALL, Story
from runfair.fairness.checks.foreign_time import check
from runfair.fairness.verdict import verdicts
from runfair.formats.drive import Drive, DrivenLoad
from runfair.formats.execution import Execution

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
        "a server's threads for its connections wait for each other",
        lambda run: run.with_launch_share(SMALL, "run_queue_ns", 0.3).with_cell(
            SMALL, drive=Drive(protocol="resp", connections=8, requests=10)
        ),
        None,
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


@pytest.mark.parametrize(("share", "cpu"), [(0.0499, "fair"), (0.0501, "flagged")])
def test_beyond_the_void_share_cpu_time_is_flagged(share: float, cpu: str) -> None:
    run = honest_run().with_launch_share(SMALL, "foreign_ns", share).evidence()
    figures = verdicts(SMALL, list(check(run))).figures
    assert figures["cpu"].state == cpu
    assert figures["wall"].state == ("flagged" if cpu == "fair" else "void")
    assert figures["memory"].state == "fair"
