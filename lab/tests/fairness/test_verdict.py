"""Judging never fails on numbers, however odd, and findings only ever make a verdict worse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.honest_run import GCC, JAVA, cell_id, cell_named, honest_run
from evidence.records import Records, Series
from runfair.fairness.checks import CHECKS
from runfair.fairness.figures import ELAPSED, FIGURES, NAMED, SAMPLED, TIMED, figures_of
from runfair.fairness.verdict import judge, verdicts
from runfair.formats.finding import Finding, VerdictState

RANK: dict[VerdictState, int] = {"fair": 0, "flagged": 1, "void": 2}
CELLS = (cell_id(GCC), cell_id(GCC, mode="cold"), cell_id(JAVA))

findings = st.builds(
    Finding,
    check=st.just("check"),
    severity=st.sampled_from(["limitation", "warning", "fault"]),
    cell=st.sampled_from([None, "a", "b"]),
    figures=st.lists(st.sampled_from([*NAMED, *FIGURES, *ELAPSED, *TIMED, *SAMPLED]), unique=True),
    text=st.just("seen"),
    effect=st.sampled_from([None, "longer", "shorter", "either"]),
    size=st.none() | st.floats(0, 0.99),
)
amounts = st.integers(0, 2**53)
perhaps = st.none() | amounts
launches = st.fixed_dictionaries(
    {
        "wall_ns": amounts,
        "cpu_ns": amounts,
        "peak_tree_bytes": amounts,
        "foreign_ns": perhaps,
        "steal_ns": perhaps,
        "run_queue_ns": perhaps,
        "read_bytes": perhaps,
        "ambient_throttled_ns": perhaps,
        "left_behind": st.integers(0, 3),
        "processors": st.lists(st.integers(0, 3), max_size=3),
    }
)
iterations = st.lists(st.tuples(st.integers(0, 2**45), st.integers(0, 2**45)), max_size=30)


A = cell_named("a")  # built once: the property below asks for hundreds of examples


@given(few=st.lists(findings, max_size=8), more=st.lists(findings, max_size=8))
def test_more_findings_never_make_a_verdict_better(few: list[Finding], more: list[Finding]) -> None:
    before = verdicts(A, few).figures
    after = verdicts(A, [*few, *more]).figures
    for figure in figures_of(A.cell):
        assert RANK[after[figure].state] >= RANK[before[figure].state]


@pytest.mark.parametrize(
    ("severity", "state"), [("limitation", "fair"), ("warning", "flagged"), ("fault", "void")]
)
def test_a_finding_speaks_of_its_figures_only(severity: str, state: VerdictState) -> None:
    finding = Finding.model_validate(
        {"check": "c", "severity": severity, "cell": "a", "figures": ["wall"], "text": "seen"}
    )
    judged = verdicts(cell_named("a"), [finding]).figures
    assert (judged["wall"].state, judged["wall"].findings) == (state, [finding])
    assert (judged["cpu"].state, judged["memory"].state) == ("fair", "fair")
    assert verdicts(cell_named("b"), [finding]).figures["wall"].state == "fair"


@pytest.mark.parametrize(("size", "state"), [(0.0001, "fair"), (0.2, "flagged"), (None, "flagged")])
def test_a_doubt_far_smaller_than_the_interval_leaves_a_figure_fair(
    size: float | None, state: VerdictState
) -> None:
    """A doubt of unknown size never does."""
    doubt = Finding(
        check="check",
        severity="warning",
        cell=CELLS[2],
        figures=["wall"],
        text="seen",
        effect="either",
        size=size,
    )
    (one,) = [one for one in honest_run().evidence().cells if one.cell.id == CELLS[2]]
    assert verdicts(one, [doubt]).figures["wall"].state == state


def test_wall_bounded_and_cpu_flagged_on_a_noisy_machine() -> None:
    run = honest_run().with_launch_share(CELLS[0], "foreign_ns", 0.09)
    (cell,) = [one for one in judge(run.evidence()).cells if one.cell == CELLS[0]]
    assert {name: one.state for name, one in cell.figures.items()} == {
        "wall": "flagged",
        "cpu": "flagged",
        "memory": "fair",
    }
    assert cell.figures["wall"].bounds is not None and cell.figures["cpu"].bounds is None


def test_the_file_names_every_check_with_its_version() -> None:
    assert judge(honest_run().evidence()).checks == {one.NAME: one.VERSION for one in CHECKS}


@settings(max_examples=30)
@given(launch=launches, measured=iterations, resolution_ns=st.integers(1, 10**9), data=st.data())
def test_judging_never_raises(
    launch: dict[str, Any],
    measured: list[tuple[int, int]],
    resolution_ns: int,
    data: st.DataObject,
) -> None:
    wall, cpu = (np.array([pair[side] for pair in measured], dtype=np.int64) for side in range(2))

    def change(_: Series) -> Series:
        return wall, cpu

    cell = data.draw(st.sampled_from(CELLS))
    run: Records = honest_run().with_launches(cell, **launch)
    run = run.with_starts(cell, cpu_clock_resolution_ns=resolution_ns)
    run = run.with_series(cell, change, data.draw(st.integers(1, 6)))
    keep = data.draw(st.sampled_from([0, 1, 12, len(run.executions)]))
    run = replace(run, executions=run.executions[:keep])
    judged = judge(run.evidence())
    assert len(judged.cells) == len(run.plan.cells)
    if keep == 0:
        assert {f.state for one in judged.cells for f in one.figures.values()} == {"void"}
