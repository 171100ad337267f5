"""Closed loops whose generator is the slower of the two."""

from __future__ import annotations

from evidence.honest_run import honest_run
from evidence.records import EXECUTIONS, Records
from fairness.stories import SMALL, Story
from runfair.fairness.checks.driver_bound import check
from runfair.formats.plan import Drive, DrivenLoad

ALONE = Drive(protocol="resp", connections=1, requests=10)
MANY = Drive(protocol="resp", connections=8, requests=10)


def driven(
    run: Records, *shares: float, count: int = EXECUTIONS, waited: float | None = None
) -> Records:
    loads = [
        DrivenLoad(
            iteration=number,
            name="set",
            elapsed_ns=10**9,
            requests=1000,
            misses=0,
            generator_share=share,
            generator_waited=waited,
        )
        for number, share in enumerate(shares)
    ]
    return run.with_records(SMALL, count, driven=loads)


STORIES = (
    Story("a generator that is always busy", lambda run: driven(run, 0.97, 0.99), "warning"),
    Story(
        "one that is always busy in one execution",
        lambda run: driven(driven(run, 0.5), 0.99, count=1),
        "warning",
    ),
    Story("one that is just not always busy", lambda run: driven(run, 0.9), None),
    Story("one that is", lambda run: driven(run, 0.91), "warning"),
    Story(
        "over one connection, a fifth of the time",
        lambda run: driven(run, 0.2).with_cell(SMALL, drive=ALONE),
        None,
    ),
    Story(
        "over one connection, and never seen at work",
        lambda run: run.with_cell(SMALL, drive=ALONE),
        None,
    ),
    Story(
        "over eight connections, which do not wait for its turns",
        lambda run: driven(run, 0.3).with_cell(SMALL, drive=MANY),
        None,
    ),
    Story("one that waits for its server", lambda run: driven(run, 0.55, 0.6), None),
    Story("one busy pass of three", lambda run: driven(run, 0.5, 0.99, 0.5), None),
    Story(
        "one that takes turns with its server",
        lambda run: driven(run, 0.3, 0.3).with_cell(SMALL, drive=ALONE),
        "warning",
    ),
    Story(
        "one whose turns are short",
        lambda run: driven(run, 0.1, 0.1).with_cell(SMALL, drive=ALONE),
        None,
    ),
    Story("a load generator that waits little", lambda run: driven(run, 0.3, waited=0.0099), None),
    Story(
        "a load generator that waits for its processor",
        lambda run: driven(run, 0.3, waited=0.0101),
        "warning",
    ),
    Story(
        "a load generator that waits in a single execution",
        lambda run: driven(driven(run, 0.3, waited=0.0), 0.3, count=1, waited=0.1),
        "warning",
    ),
    Story(
        "one on its server's processors",
        lambda run: driven(run, 0.3).with_plan(lab_processors=[0, 1]),
        "warning",
    ),
    Story(
        "one on a processor of its own, in a plan whose other cells need all processors",
        lambda run: (
            driven(run, 0.3)
            .with_plan(lab_processors=[0, 1])
            .with_records(SMALL, lab_processors=[0])
        ),
        None,
    ),
)


def test_only_the_wall_time_is_flagged() -> None:
    (finding,) = check(driven(honest_run(), 0.95).evidence())
    assert finding.figures == ["wall"]
    assert finding.values == {"generator_share": 0.95, "generator_waited": 0.0}


def test_a_wait_for_a_processor_belongs_to_the_generators_time() -> None:
    run = driven(honest_run(), 0.15, waited=0.06).with_cell(SMALL, drive=ALONE)
    turns, wait = check(run.evidence())
    assert turns.text.startswith("21% of the wall time passed in the load generator")
    assert wait.text == (
        "for 6.0% of the measured time, the load generator was ready to send requests but had "
        "to wait for a processor"
    )
    assert wait.effect == "longer"


def test_the_greatest_share_of_any_execution_is_told() -> None:
    (finding,) = check(driven(driven(honest_run(), 0.92), 0.97, count=1).evidence())
    assert finding.values == {"generator_share": 0.97, "generator_waited": 0.0}
