"""Tables say what the model holds: on the terminal, narrow or wide, and in Markdown."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from rich.console import Console

from evidence.honest_run import GCC, GO, JAVA, PYTHON, RUNTIMES, Runtime, cell_id, honest_run
from evidence.records import EXECUTIONS, Records
from fairness.large_run import large_run
from report.conclusion.concluded import one_kind
from result.test_run import coarse, disturbed, drifting, interrupted, result_of, second_benchmark
from runfair.formats.result import Bounds, Relative
from runfair.report.markdown import escape, markdown
from runfair.report.table import LEGEND, tables
from runfair.report.terminal import print_result
from runfair.wording.quantity import bounded_ratio, ratio
from runfair.wording.table import Table

HOSTILE = "<script>alert(1)</script> | `x` [a](b) *b* [red]b[/red] \u202e\n# title"


def shown(records: Records, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    print_result(result_of(records), console)
    output = console.file
    assert isinstance(output, io.StringIO)
    return output.getvalue()


def table_of(records: Records, title: str) -> Table:
    return next(one for one in tables(result_of(records)) if one.title.startswith(title))


def test_rows_are_ordered_by_cpu_time_and_tell_their_verdict() -> None:
    table = table_of(honest_run(), "sudoku · balanced · small · steady · 1 thread")
    assert table.title.endswith(f"against {GCC.name}")
    names = [row.cells[0] for row in table.rows]
    assert (names[0], names[-1]) == (GCC.name, PYTHON.name)
    assert {row.cells[-1] for row in table.rows} == {"fair"}
    go = next(row for row in table.rows if row.cells[0] == GO.name)
    assert go.cells[2].startswith("1.5")
    assert "[" in go.cells[2]


def test_a_whole_process_shows_its_parts_each_with_a_ratio() -> None:
    records = honest_run()
    for runtime in RUNTIMES:
        records = records.with_first_iteration(cell_id(runtime, mode="cold"), 0.25)
    table = table_of(records, "sudoku · balanced · small · cold · 1 thread")
    heads = ("before work", "work", "total", "CPU time", "peak memory")
    assert table.columns[1:-1:2] == heads
    gcc = next(row for row in table.rows if row.cells[0] == GCC.name)
    go = next(row for row in table.rows if row.cells[0] == GO.name)
    assert gcc.cells[2] == gcc.cells[4] == "1.00"
    # A quarter of the total, whose ratio it therefore has.
    assert go.cells[2].split()[0] == go.cells[6].split()[0]
    assert [one.columns[1] for one in table.narrow] == [*heads]


def waiting(run: Records) -> Records:
    """Others took 3% of the processor of Go's executions, which waited for it as long. Go computed
    for 92% of the time."""
    busy = run.idling(cell_id(GO), 0.08).with_launch_share(cell_id(GO), "foreign_ns", 0.03)
    return busy.with_launch_share(cell_id(GO), "run_queue_ns", 0.03)


def test_void_is_a_word_and_flagged_has_a_star_and_a_note() -> None:
    void = table_of(coarse(honest_run(), cell_id(GO)), "sudoku · balanced · small")
    go = next(row for row in void.rows if row.cells[0] == GO.name)
    assert go.cells[1:3] == ("void", "")
    assert go.cells[-1] == "void (1)"
    assert go.state == "void"
    assert (
        "[clock] CPU time: go-1.26.8: the measured time is too short for the "
        "resolution of the CPU clock" in " ".join(void.notes)
    )
    flagged = table_of(waiting(honest_run()), "sudoku · balanced · small")
    go = next(row for row in flagged.rows if row.cells[0] == GO.name)
    assert go.cells[3].endswith("*")
    assert not go.cells[1].endswith("*")
    assert go.cells[-1].startswith("flagged (1)")


def test_a_bounded_figure_shows_its_limits_in_place_of_a_number() -> None:
    table = table_of(disturbed(honest_run(), cell_id(GO)), "sudoku · balanced · small · steady")
    go = next(row for row in table.rows if row.cells[0] == GO.name)
    assert go.cells[3:5] == ("≤ 1.91 s*", "≤ 1.60")
    assert go.cells[-1].startswith("flagged (")
    assert go.state == "flagged"
    assert "[foreign_time] wall time: go-1.26.8: other processes used 20.0%" in " ".join(
        table.notes
    )
    gcc = next(row for row in table.rows if row.cells[0] == GCC.name)
    assert gcc.cells[3:] == ("1.20 s", "1.00", "4.00 MiB", "1.00", "fair")


def test_what_is_compared_with_a_bounded_baseline_has_a_bounded_ratio() -> None:
    table = table_of(disturbed(honest_run(), cell_id(GCC)), "sudoku · balanced · small · steady")
    go = next(row for row in table.rows if row.cells[0] == GO.name)
    assert go.cells[3:5] == ("1.90 s", "≥ 1.57")
    assert go.cells[-1] == "fair"


def test_limits_on_both_sides_are_a_range() -> None:
    table = table_of(drifting(honest_run()), "sudoku · balanced · small · steady")
    go = next(row for row in table.rows if row.cells[0] == GO.name)
    assert go.cells[3:5] == ("1.70 to 2.13 s*", "1.27 to 1.98")
    assert go.cells[1].startswith("1.90 s")  # CPU time does not drift with the speed of a clock
    assert go.cells[-1] == "flagged (run)"


@pytest.mark.parametrize(
    ("bounds", "text"),
    [
        ((None, 1.2), "≤ 1.20"),
        ((0.8, None), "≥ 0.800"),
        ((0.8, 1.2), "0.800 to 1.20"),
        ((0.0, 1234.0), "0 to 1,230"),
        ((None, None), ""),
    ],
)
def test_a_ratio_between_its_limits(bounds: Bounds, text: str) -> None:
    assert bounded_ratio(bounds) == text
    # Where there are bounds, neither what was measured nor its interval is said.
    relative = Relative(baseline="", value=1.0, interval=(0.9, 1.1), bounds=bounds)
    assert ratio(relative) == text


def test_a_mean_of_bounded_ratios_is_bounded() -> None:
    two = second_benchmark(honest_run())
    table = table_of(disturbed(two, cell_id(GO)), "geometric mean · small · steady")
    rows = {row.cells[0]: row for row in table.rows}
    assert rows[GO.name].cells[2] == "≤ 1.60*"
    assert rows[GO.name].state == "flagged"
    assert rows[PYTHON.name].cells[2].startswith("20.")
    assert "[" in rows[PYTHON.name].cells[2]
    (row,) = [
        row for row in table_of(drifting(two), "geometric mean").rows if row.cells[0] == GO.name
    ]
    assert row.cells[2] == "1.27 to 1.98*"


def test_a_narrow_table_tells_each_figures_own_verdict() -> None:
    run = waiting(coarse(honest_run(), cell_id(GO)))
    table = table_of(run, "sudoku · balanced · small")
    cpu, wall, memory = table.narrow
    verdicts = {
        narrow.columns[1]: next(row for row in narrow.rows if row.cells[0] == GO.name).cells[-1]
        for narrow in (cpu, wall, memory)
    }
    assert verdicts == {
        "CPU time": "void (1)",
        "wall time": "flagged (1)",
        "peak memory": "fair",
    }


def test_what_failed_or_cannot_run_has_a_row() -> None:
    records = honest_run().failing(cell_id(GO), 6).with_cell(cell_id(PYTHON), unsupported="why")
    table = table_of(records, "sudoku · balanced · small · steady")
    cells = {row.cells[0]: row.cells for row in table.rows}
    assert "6 of 6 executions failed" in cells[GO.name][-1]
    assert cells[PYTHON.name][-1] == "unsupported: why"


def test_many_that_cannot_run_for_the_same_reason_share_a_note() -> None:
    def rows_and_notes(absent: Sequence[Runtime]) -> tuple[list[str], list[str]]:
        run = one_kind(large_run(2))
        for runtime in absent:
            run = run.with_cell(f"0000-{cell_id(runtime)}", unsupported="too old")
        table = table_of(run, "benchmark-0000")
        return [row.cells[0] for row in table.rows], [one for one in table.notes if "old" in one]

    every = [GCC.name, GO.name, JAVA.name, PYTHON.name]
    rows, notes = rows_and_notes([GO, JAVA, PYTHON])
    assert rows == [GCC.name]
    assert notes == [f"unsupported: too old: {GO.name}, {JAVA.name}, {PYTHON.name}"]
    # Two keep their rows, and so do all if nothing else would be in the table.
    for absent in ([JAVA, PYTHON], [GCC, GO, JAVA, PYTHON]):
        rows, notes = rows_and_notes(absent)
        assert (sorted(rows), notes) == (sorted(every), [])


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_nothing_is_cut_off_at_any_width(width: int) -> None:
    whole(honest_run(), width)


@pytest.mark.parametrize("width", [64, 80, 100, 160])
def test_nothing_is_cut_off_of_limits_on_both_sides(width: int) -> None:
    whole(drifting(honest_run()), width)


def whole(records: Records, width: int) -> None:
    """Everything is said, and within the terminal's width."""
    text = shown(records, width)
    assert "…" not in text
    for runtime in (GCC, GO, PYTHON):
        assert runtime.name in text
    assert max(len(line) for line in text.splitlines()) <= width


def test_names_from_files_are_text_and_never_markup() -> None:
    records = honest_run().with_cell(cell_id(GO), unsupported=HOSTILE)
    page = markdown(result_of(records))
    assert "<script>" not in page
    assert "\n# title" not in page
    assert "\u202e" not in page
    terminal = shown(records, 400)
    assert "[red]b[/red]" in terminal
    assert "\u202e" not in terminal


def test_markdown_explains_its_marks() -> None:
    assert escape(LEGEND) in markdown(result_of(honest_run()))


def test_markdown_tables_are_whole() -> None:
    page = markdown(result_of(honest_run()))
    rows = [line for line in page.splitlines() if line.startswith("|")]
    assert rows
    for row in rows:
        assert row.replace("\\|", "").count("|") in (9, 6)
    assert "incomplete" not in page
    assert "incomplete" in markdown(result_of(interrupted()))


def test_escaping() -> None:
    assert escape("a|b*c_d") == "a\\|b\\*c\\_d"


def test_what_cannot_be_established_is_said_beneath_the_table() -> None:
    table = table_of(honest_run().with_cell(cell_id(GO), operations=None), "sudoku · balanced")
    assert any(note.startswith(f"limitation {GO.name}: ") for note in table.notes)


def test_an_incomplete_run_says_so() -> None:
    console = Console(width=120, file=io.StringIO(), highlight=False)
    print_result(result_of(interrupted()), console)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().startswith("incomplete ")
    assert "incomplete" not in shown(honest_run(), 120)


def lateness(late_ns: int) -> Callable[[int, int], list[int]]:
    """Samples whose p50 is so long, and whose p99 ten times that; a little other each time."""

    def draw(execution: int, iteration: int) -> list[int]:
        random = np.random.default_rng([late_ns, execution, iteration])
        late = late_ns * np.where(random.random(200) < 0.05, 10, 1)
        return [int(value) for value in late * np.exp(random.normal(0, 0.05, 200))]

    return draw


def test_a_distribution_has_a_table_of_its_percentiles() -> None:
    records = honest_run().sampling(cell_id(GCC), lateness(10**6))
    records = records.sampling(cell_id(GO), lateness(3 * 10**6))
    table = table_of(records, "lateness · sudoku · balanced · small · steady")
    assert table.columns[1:-1:2] == ("lateness p50", "lateness p99", "lateness max")
    rows = {row.cells[0]: row.cells for row in table.rows}
    assert rows[GCC.name][1].startswith("1.0")
    assert rows[GO.name][1].startswith("3.0") and rows[GO.name][2].startswith("3.0")
    assert rows[PYTHON.name][1:-1] == ("—", "") * 3
    assert rows[GO.name][-1] == "fair"


def test_a_program_that_was_killed_has_a_lower_bound_and_no_ratio() -> None:
    records = honest_run().sampling(cell_id(GCC), lateness(10**6))
    records = records.sampling(cell_id(GO), lateness(3 * 10**6))
    records = records.cut_short(cell_id(GO), EXECUTIONS, [900_000_000] * 5)
    table = table_of(records, "lateness · sudoku · balanced · small · steady")
    (go,) = [row.cells for row in table.rows if row.cells[0] == GO.name]
    assert go[1].startswith("≥ 3.0") and go[5] == "≥ 900 ms*"
    assert go[2] == go[4] == go[6] == ""
