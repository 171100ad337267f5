"""`export` writes what was asked for, where it was asked for, and says what it left out."""

from __future__ import annotations

import csv
import errno
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import pytest

from evidence.honest_run import GO, cell_id, honest_run
from evidence.honest_services import FASTIFY, VERTX, honest_services, service_cell, services_of
from runfair.cli import export as module
from runfair.cli.export import FORMATS, export
from runfair.errors import InvalidResult, UserMistake
from runfair.export.latencies import write_latencies
from runfair.formats.run_folder import RunFolder
from runfair.result.judged_run import JudgedRun
from simulated.stored_run import stored

GO_CELL = cell_id(GO)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    stored(honest_run().with_records(GO_CELL, 1, iterations=57), tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"format": "xlsx"}, "--format xlsx: unknown format; choose from json, markdown, junit"),
        (
            {"table": "rows"},
            "--table rows: unknown table; choose from figures, executions, iterations",
        ),
        ({"format": "parquet"}, "name a file with --output"),
        ({"format": "hlog"}, "a file for each execution; name a folder with --output"),
        ({}, "there is no run with this name or path"),
    ],
)
def test_a_mistake_is_one_line(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=said) as caught:
        export("no-such-run", results=tmp_path, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("format_", [one for one in FORMATS if one not in ("hlog", "hgrm")])
def test_each_format_is_written_to_a_file(format_: str, results: Path, tmp_path: Path) -> None:
    output = tmp_path / "exported"
    export("latest", format=format_, output=output, results=results)
    assert output.stat().st_size > 1000
    if format_ == "parquet":
        with duckdb.connect() as connection:
            assert len(connection.read_parquet(str(output)).fetchall()) == 48
    else:
        assert "sudoku" in output.read_text()


@pytest.mark.parametrize("format_", ["json", "pyperf", "csv", "junit", "go", "markdown"])
def test_text_goes_to_standard_output_alone(
    format_: str, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export("latest", format=format_, results=results)
    written, said = capsys.readouterr()
    if format_ in ("json", "pyperf"):
        json.loads(written)
    elif format_ == "csv":
        assert len(list(csv.DictReader(io.StringIO(written)))) == 48
    elif format_ == "junit":
        assert ElementTree.fromstring(written).tag == "testsuites"
    left_out = f"left out    {GO_CELL} wall time: void [records]"
    assert (left_out in said) == (format_ in ("pyperf", "go"))


def test_nothing_but_the_output_is_written(results: Path) -> None:
    run = next(results.glob("*/experiment.json")).parent
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    export("latest", format="json", output=results / "result.json", results=results)
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before


@pytest.mark.parametrize("format_", ["json", "csv", "parquet"])
def test_a_folder_that_is_not_there_is_the_users_mistake(format_: str, results: Path) -> None:
    with pytest.raises(UserMistake, match="there is no folder"):
        export("latest", format=format_, output=results / "none" / "file", results=results)


@pytest.mark.parametrize("format_", ["json", "csv", "parquet"])
def test_a_folder_in_place_of_the_file_is_the_users_mistake(format_: str, results: Path) -> None:
    with pytest.raises(UserMistake, match=r"cannot be written \(Is a directory\); name another"):
        export("latest", format=format_, output=results, results=results)


def test_an_error_of_the_run_is_not_blamed_on_the_output(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(name: Path, *others: Path) -> None:
        raise OSError(errno.EIO, "Input/output error", str(name), None, *map(str, others))

    output = tmp_path / "exported"
    monkeypatch.setattr(module, "write_parquet", lambda *_: unreadable(results / "run" / "x.lines"))
    with pytest.raises(OSError, match=r"x\.lines"):
        export("latest", format="parquet", output=output, results=results)
    for paths in ([output], [tmp_path / ".exported.1" / "rows"], [results / "x.lines", output]):
        monkeypatch.setattr(module, "write_parquet", lambda *_, paths=paths: unreadable(*paths))
        with pytest.raises(UserMistake, match=r"exported: this path cannot be written \(Input"):
            export("latest", format="parquet", output=output, results=results)


def test_a_run_of_programs_has_no_latencies(results: Path, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="because it measured no service; choose another format"):
        export("latest", format="hgrm", output=tmp_path / "to", results=results)


def test_a_run_without_figures_is_no_pyperf_file(tmp_path: Path) -> None:
    stored(honest_run().with_cells(lambda _: True, unsupported="not here"), tmp_path)
    with pytest.raises(
        InvalidResult,
        match=r"all measured values of the run are void \(not valid\), so .* export as pyperf",
    ):
        export("latest", format="pyperf", results=tmp_path)


def test_latencies_of_services_a_file_an_execution(tmp_path: Path) -> None:
    services = services_of(honest_services().failing(service_cell(FASTIFY), 2))
    run = JudgedRun.of("run", services.evidence())
    folder = RunFolder(tmp_path)
    written, left_out = write_latencies(run, folder, tmp_path, "hgrm")
    assert len(written) == len(services.ids(FASTIFY)) - 2 + len(services.ids(VERTX))
    assert [line.partition(": ")[2] for line in left_out] == ["failed: exit status 1"] * 2
    assert written[0].suffix == ".hgrm"
    assert "Total count" in written[0].read_text()


def test_interval_logs_are_copied_as_they_are(tmp_path: Path) -> None:
    services = honest_services().with_loads(VERTX, lambda one: one.failing(0.02))
    folder = RunFolder.create(tmp_path, services.plan, services.host)
    for name in services.ids(FASTIFY):
        folder.latency_file(name).write_bytes(f"log of {name}".encode())
    to = tmp_path / "logs"
    to.mkdir()
    run = JudgedRun.of("run", services.evidence())
    written, left_out = write_latencies(run, folder, to, "hlog")
    assert sorted(path.name for path in to.iterdir()) == sorted(
        f"{name}.hlog" for name in services.ids(FASTIFY)
    )
    assert written[0].read_text() == f"log of {written[0].stem}"
    assert len(left_out) == len(services.ids(VERTX))
    assert "void [errors]" in left_out[0]
