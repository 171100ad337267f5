"""The slow-down by the probe, from simulated executions."""

from __future__ import annotations

import pytest

from benchmarks.probe_slowdown import CONTROL, PLAIN, Cost, main, row, slowdowns
from probing.cpythons import on_x86_64

TRUTH = {PLAIN: 1.0, CONTROL: 1.0, "mark": 1.08, "count": 1.02, "latency": 1.4}
START_NS = {PLAIN: 0, CONTROL: 0, "mark": 90_000_000, "count": 30_000_000, "latency": 40_000_000}
GOALS = {"count": 1.10, "mark": 1.10, "latency": 1.25}


def simulated(rounds: int = 12) -> list[dict[str, Cost]]:
    """Executions of 2 s on a machine whose speed differs from round to round."""
    return [
        {
            mode: Cost(
                int(2e9 * speed * ratio * (1 + 0.002 * ((at * 7 + len(mode)) % 3 - 1))),
                20_000_000 + START_NS[mode],
            )
            for mode, ratio in TRUTH.items()
        }
        for at, speed in enumerate(1 + 0.3 * (each % 4) for each in range(rounds))
    ]


def test_each_mode_has_its_ratio() -> None:
    found = {one.mode: one for one in slowdowns(simulated(), GOALS)}
    assert list(found) == [CONTROL, "count", "mark", "latency"]
    for mode, one in found.items():
        assert one.ratio.typical is not None
        assert one.ratio.typical.value == pytest.approx(TRUTH[mode], rel=0.003)
        assert one.outside_ns == START_NS[mode]
    assert found[CONTROL].goal is None


def test_the_table_says_which_goals_are_met() -> None:
    rows = {one.mode: row("cpython-3.13.0", "sudoku", one) for one in slowdowns(simulated(), GOALS)}
    assert "| 1.10 | met | 12 of 12 | +90 ms |" in rows["mark"]
    assert "| 1.25 | missed | 0 of 12 | +40 ms |" in rows["latency"]
    assert rows[CONTROL].startswith("| cpython-3.13.0 | sudoku | control: no probe | 1.00")
    assert "|  |  |  | +0 ms |" in rows[CONTROL]


def test_few_rounds_have_no_interval_and_decide_nothing() -> None:
    (found,) = [one for one in slowdowns(simulated(2), GOALS) if one.mode == "mark"]
    assert found.ratio.typical is None
    assert "| undecided | 2 of 2 |" in row("node", "sudoku", found)


@on_x86_64
@pytest.mark.long
def test_every_interpreter_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--rounds", "2", "--size", "tiny", "--seconds", "0.05", "--modes", "count", "latency"])
    rows = capsys.readouterr().out.splitlines()[2:]
    for benchmark in ("sudoku", "log-indexed"):
        for mode in (CONTROL, "count", "latency"):
            found = [row for row in rows if f" | {benchmark} | {mode} | " in row]
            assert ["-Xint" in row for row in found].count(True) == 1
            assert ["--no-opt" in row for row in found].count(True) == 1
            assert len(found) == 3
