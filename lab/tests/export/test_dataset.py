"""CSV and Parquet hold what the report shows: each figure with interval, verdict and findings."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import duckdb
import pytest

from evidence.honest_run import GO, ITERATIONS, JAVA, WARM_UP_ITERATIONS, cell_id, honest_run
from evidence.honest_services import honest_services
from report.sources import COUNTS, told
from result.test_run import coarse, disturbed, drifting
from runfair.export.dataset import Dataset, executions, iterations, lines, write_parquet
from runfair.export.figures import figures
from runfair.result.judged_run import JudgedRun

GO_CELL = cell_id(GO)
HOSTILE = 'a "quoted", text\nwith a second line, \x1b[31m and \u202e, =cmd()'


@pytest.fixture(scope="module")
def honest() -> JudgedRun:
    return JudgedRun.of("run", honest_run().telling(GO_CELL, told()).evidence())


@pytest.fixture(scope="module")
def noisy() -> JudgedRun:
    """Of one cell the CPU time is void and the wall time bounded, of another the wall time flagged;
    one cell failed, one is unsupported."""
    run = disturbed(coarse(honest_run(), GO_CELL), GO_CELL)
    run = run.idling(cell_id(JAVA), 0.5).with_launch_share(cell_id(JAVA), "foreign_ns", 0.03)
    run = run.failing(cell_id(GO, "large"), 6, HOSTILE)
    run = run.with_cell(cell_id(GO, mode="cold"), unsupported=HOSTILE)
    run = run.telling(GO_CELL, told({1: 0.5}, text=f"\t{HOSTILE}", path=HOSTILE, name=HOSTILE))
    run = run.telling(cell_id(JAVA), told(), digest="f" * 16)
    return JudgedRun.of("noisy", run.evidence())


def rows(dataset: Dataset) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(dataset.csv())))


def parquet(dataset: Dataset, folder: Path) -> list[dict[str, Any]]:
    path = folder / "rows.parquet"
    write_parquet(dataset, path)
    assert [one.name for one in folder.iterdir()] == ["rows.parquet"]
    with duckdb.connect() as connection:
        found = connection.read_parquet(str(path))
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def row_of(found: list[Any], cell: str, figure: str) -> Any:
    return next(one for one in found if (one["cell"], one["figure"]) == (cell, figure))


def test_a_line_a_figure_with_the_models_own_numbers(honest: JudgedRun) -> None:
    found = rows(figures(honest))
    assert len(found) == sum(len(cell.figures) for cell in honest.result.cells) == 48
    cell = next(one for one in honest.result.cells if one.id == GO_CELL)
    figure = cell.figures["cpu"]
    row = row_of(found, GO_CELL, "cpu")
    assert figure.interval is not None
    assert figure.relative is not None
    assert (float(row["value"]), float(row["low"]), float(row["high"])) == (
        figure.value,
        *figure.interval,
    )
    assert (float(row["ratio"]), row["baseline"]) == (figure.relative.value, "gcc-12.2.0+o3")
    assert (row["verdict"], row["executions"], row["unit"]) == ("fair", "6", "ns")
    assert (row["machine"], row["runtime_version"], row["findings"]) == ("host", "1", "")


def test_a_rebuilt_runtime_has_another_hash() -> None:
    hashes = []
    for identity in ("built=main Oct 1", "built=main Oct 2", ""):
        run = JudgedRun.of("run", honest_run().with_variant(GO.name, identity=identity).evidence())
        hashes.append(row_of(rows(figures(run)), GO_CELL, "cpu")["runtime_sha256"])
    first, second, unknown = hashes
    assert len(first) == len(second) == 64
    assert first != second
    assert unknown == ""


def test_a_row_of_a_fleet_names_all_hosts() -> None:
    fleet = JudgedRun.of("fleet", honest_run().on_hosts("a", "b").evidence())
    assert {row["machine"] for row in rows(figures(fleet))} == {"a, b"}


def test_a_void_figure_has_a_verdict_and_no_number(noisy: JudgedRun) -> None:
    row = row_of(rows(figures(noisy)), GO_CELL, "cpu")
    told = ("value", "low", "high", "bound_low", "bound_high", "ratio", "ratio_low", "ratio_high")
    assert {row[name] for name in told} == {""}
    assert row["verdict"] == "void"
    assert (
        "[clock] the measured time is too short for the resolution of the CPU clock"
        in row["findings"]
    )
    flagged = row_of(rows(figures(noisy)), cell_id(JAVA), "wall")
    assert flagged["verdict"] == "flagged"
    assert float(flagged["value"]) > 0


def test_a_bounded_figure_has_its_limits_beside_what_was_measured(
    noisy: JudgedRun, tmp_path: Path
) -> None:
    row = row_of(rows(figures(noisy)), GO_CELL, "wall")
    assert (row["verdict"], row["bound_low"]) == ("flagged", "")
    assert float(row["low"]) < float(row["value"]) < float(row["high"])
    assert row["bound_high"] == row["high"]
    kept = row_of(parquet(figures(noisy), tmp_path), GO_CELL, "wall")
    assert (kept["bound_low"], kept["bound_high"]) == (None, float(row["bound_high"]))


def test_limits_on_both_sides_enclose_what_was_measured() -> None:
    run = JudgedRun.of("drifting", drifting(honest_run()).evidence())
    wall, cpu = (row_of(rows(figures(run)), GO_CELL, name) for name in ("wall", "cpu"))
    assert float(wall["bound_low"]) == pytest.approx(0.9 * float(wall["low"]), rel=1e-6)
    assert float(wall["bound_high"]) == pytest.approx(float(wall["high"]) / 0.9, rel=1e-6)
    assert (cpu["bound_low"], cpu["bound_high"]) == ("", "")


def test_a_cell_that_could_not_be_run_has_one_line(noisy: JudgedRun) -> None:
    mine = [row for row in rows(figures(noisy)) if row["cell"] == cell_id(GO, mode="cold")]
    assert len(mine) == 1
    assert mine[0]["figure"] == ""
    assert mine[0]["unsupported"].startswith('a "quoted", text with a second line')


def test_hostile_text_stays_in_its_field(noisy: JudgedRun) -> None:
    text = executions(noisy).csv()
    assert "\x1b" not in text
    assert "\u202e" not in text
    failed = [row for row in rows(executions(noisy)) if row["outcome"] == "failed"]
    assert {row["cell"] for row in failed} == {cell_id(GO, "large")}
    assert failed[0]["reason"].startswith('a "quoted", text with a second line')
    assert failed[0]["value"] == ""


def test_executions_are_the_numbers_behind_the_interval(honest: JudgedRun) -> None:
    mine = [
        row
        for row in rows(executions(honest))
        if (row["cell"], row["figure"]) == (GO_CELL, "memory")
    ]
    assert len(mine) == 6
    assert {float(row["value"]) for row in mine} == {GO.peak_bytes}
    assert len({(row["block"], row["position"]) for row in mine}) == 6


def test_iterations_with_their_warm_up_marked(honest: JudgedRun) -> None:
    found = [row for row in rows(iterations(honest)) if row["cell"] == cell_id(JAVA)]
    assert len(found) == 6 * ITERATIONS
    first = [row for row in found if row["execution"] == found[0]["execution"]]
    assert [row["steady"] for row in first].count("false") == WARM_UP_ITERATIONS
    assert [int(row["iteration"]) for row in first] == list(range(ITERATIONS))
    cold = [row for row in rows(iterations(honest)) if "/cold/" in row["cell"]]
    assert {row["steady"] for row in cold} == {""}


def test_services_have_figures_and_no_iterations(tmp_path: Path) -> None:
    run = JudgedRun.of("services", honest_services().evidence())
    assert rows(iterations(run)) == []
    assert parquet(iterations(run), tmp_path) == []
    row = row_of(rows(figures(run)), run.result.cells[0].id, "p99")
    assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
    assert float(row["rate_per_s"]) == 2000


def test_lines_of_source_with_their_text(honest: JudgedRun, noisy: JudgedRun) -> None:
    found = rows(lines(honest))
    assert {int(row["line"]): float(row["value"]) for row in found} == COUNTS
    assert {(row["variant"], row["verdict"], row["executions"]) for row in found} == {
        (GO.name, "fair", "1")
    }
    assert found[1]["text"] == "line_21()"
    counted, void = rows(lines(noisy))
    assert counted["text"].startswith('a "quoted", text')
    assert (void["line"], void["value"], void["verdict"]) == ("", "", "void")
    assert "the execution that counted lines gave the answer ffff" in void["reason"]


def test_who_tells_lines_is_in_no_other_table(honest: JudgedRun) -> None:
    assert "lines" not in {row["role"] for row in rows(executions(honest))}
    assert "lines" not in {row["role"] for row in rows(iterations(honest))}


@pytest.mark.parametrize("made", [figures, executions, iterations, lines])
@pytest.mark.parametrize("run", ["honest", "noisy"])
def test_parquet_holds_what_csv_holds(
    made: Any, run: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    dataset = made(request.getfixturevalue(run))
    read = parquet(dataset, tmp_path)
    written = rows(dataset)
    assert len(read) == len(written) > 0
    for ours, theirs in zip(read, written, strict=True):
        assert list(ours) == list(theirs) == list(dataset.columns)
        for name, value in ours.items():
            if value is None:
                assert theirs[name] == ""
            elif isinstance(value, bool):
                assert theirs[name] == str(value).lower()
            else:
                assert type(value)(theirs[name]) == value


def test_types_are_kept(noisy: JudgedRun, tmp_path: Path) -> None:
    row = row_of(parquet(figures(noisy), tmp_path), GO_CELL, "wall")
    kinds = {
        name: type(row[name]) for name in ("threads", "value", "verdict", "created_realtime_ns")
    }
    assert kinds == {"threads": int, "value": float, "verdict": str, "created_realtime_ns": int}
    assert row["within_noise_floor"] in (True, False)


def test_a_run_without_cells_is_a_table_without_lines(tmp_path: Path) -> None:
    empty = JudgedRun.of("empty", honest_run().with_plan(cells=[], executions=[]).evidence())
    assert figures(empty).csv().count("\n") == 1
    assert parquet(figures(empty), tmp_path) == []
