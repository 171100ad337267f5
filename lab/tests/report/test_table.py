"""Tables say what the model holds: on the terminal, narrow or wide, and in Markdown."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from fairness.runs import GCC, GO, PYTHON, RUNTIMES, Records, cell_id, honest_run
from report.test_model import interrupted, result_of
from runfair.report.grid import Table
from runfair.report.markdown import escape, markdown
from runfair.report.table import tables
from runfair.report.terminal import print_result

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


def test_void_is_a_word_and_flagged_has_a_star_and_a_note() -> None:
    void = table_of(
        honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2), "sudoku · balanced · small"
    )
    go = next(row for row in void.rows if row.cells[0] == GO.name)
    assert go.cells[3:5] == ("void", "")
    assert go.cells[-1] == "void (1)(2)"
    assert go.state == "void"
    assert "void [foreign_time] wall time: go-1.26.8: others took" in " ".join(void.notes)
    flagged = table_of(
        honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.03), "sudoku · balanced · small"
    )
    go = next(row for row in flagged.rows if row.cells[0] == GO.name)
    assert go.cells[3].endswith("*")
    assert not go.cells[1].endswith("*")
    assert go.cells[-1] == "flagged (1)"


def test_a_narrow_table_tells_each_figures_own_verdict() -> None:
    table = table_of(
        honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2), "sudoku · balanced · small"
    )
    cpu, wall, memory = table.narrow
    verdicts = {
        narrow.columns[1]: next(row for row in narrow.rows if row.cells[0] == GO.name).cells[-1]
        for narrow in (cpu, wall, memory)
    }
    assert verdicts == {
        "CPU time": "flagged (1)",
        "wall time": "void (1)",
        "peak memory": "fair",
    }


def test_what_failed_or_cannot_run_has_a_row() -> None:
    records = honest_run().failing(cell_id(GO), 6).with_cell(cell_id(PYTHON), unsupported="why")
    table = table_of(records, "sudoku · balanced · small · steady")
    cells = {row.cells[0]: row.cells for row in table.rows}
    assert "6 of 6 failed" in cells[GO.name][-1]
    assert cells[PYTHON.name][-1] == "unsupported: why"


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_nothing_is_cut_off_at_any_width(width: int) -> None:
    text = shown(honest_run(), width)
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
