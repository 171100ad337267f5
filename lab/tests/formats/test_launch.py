"""Accounts of several trees put together."""

from __future__ import annotations

from typing import Any

from runfair.formats.launch import LaunchOutcome, LaunchReport


def report(**changes: Any) -> LaunchReport:
    """A second of a whole life, asked to end."""
    of = LaunchReport.placeholder(LaunchOutcome(state="ended_by_lab"), [1])
    usual = {
        "started_monotonic_ns": 1_000,
        "wall_ns": 1_000,
        "cpu_ns": 400,
        "peak_rss_bytes": 70,
        "peak_tree_bytes": 100,
        "processes": 1,
        "foreign_ns": 450,
        "steal_ns": 3,
        "run_queue_ns": 20,
    }
    return of.model_copy(update={**usual, **changes})


def test_what_was_taken_is_added_up_over_the_whole_time() -> None:
    both = LaunchReport.together(
        [report(), report(started_monotonic_ns=1_100, wall_ns=1_200, cpu_ns=300)]
    )
    assert (both.started_monotonic_ns, both.wall_ns) == (1_000, 1_300)
    assert (both.cpu_ns, both.peak_tree_bytes, both.peak_rss_bytes) == (700, 200, 70)
    assert (both.processes, both.run_queue_ns, both.steal_ns) == (2, 40, 3)
    assert both.peak_tree_method == "wait4"


def test_the_others_are_no_foreigners() -> None:
    """Each launcher saw the other tree's 400 ns as foreign, and 50 ns of somebody else."""
    assert LaunchReport.together([report(), report()]).foreign_ns == 50
    unknown = report(foreign_ns=None, run_queue_ns=None)
    both = LaunchReport.together([report(), unknown])
    assert (both.foreign_ns, both.run_queue_ns) == (None, None)


def test_the_ends_of_the_others_threads_are_no_foreigners() -> None:
    """30 ns of each tree are missing from its CPU time, but not from the processors' time."""
    one = report(foreign_ns=480, uncounted_ns=30)
    assert LaunchReport.together([one, one]).foreign_ns == 50


def test_the_end_is_that_of_the_first_that_was_not_asked() -> None:
    died = report(outcome=LaunchOutcome(state="signalled", signal=6))
    assert LaunchReport.together([report(), died]).outcome == died.outcome
    assert LaunchReport.together([report(), report()]).outcome.state == "ended_by_lab"
    assert LaunchReport.together([died]) is died


def test_other_hosts_have_processors_of_their_own() -> None:
    """The foreign time of a host contains nothing of the trees on another."""
    both = LaunchReport.together(
        [report(), report(foreign_ns=500, steal_ns=9, throttled_ns=4)], on_hosts=True
    )
    assert (both.cpu_ns, both.peak_tree_bytes, both.processes) == (800, 200, 2)
    assert (both.foreign_ns, both.steal_ns) == (500, 9)
