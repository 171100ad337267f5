"""Closed loops whose generator is the slower of the two."""

from __future__ import annotations

from fairness.runs import Records, honest_run
from fairness.stories import SMALL, Story
from runfair.fairness.checks.driver_bound import check
from runfair.formats.drive import Drive, DrivenLoad

ALONE = Drive(protocol="resp", connections=1, requests=10)


def driven(run: Records, *shares: float) -> Records:
    loads = [
        DrivenLoad(
            iteration=number,
            name="set",
            elapsed_ns=10**9,
            requests=1000,
            misses=0,
            generator_share=share,
        )
        for number, share in enumerate(shares)
    ]
    return run.with_records(SMALL, driven=loads)


STORIES = (
    Story("a generator that is always busy", lambda run: driven(run, 0.97, 0.99), "warning"),
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
    Story(
        "one on its server's processors",
        lambda run: driven(run, 0.3).with_plan(lab_processors=[0, 1]),
        "warning",
    ),
)


def test_only_the_wall_time_is_flagged() -> None:
    (finding,) = check(driven(honest_run(), 0.95).evidence())
    assert finding.figures == ["wall"]
    assert finding.values == {"generator_share": 0.95}
