"""A run on disk survives being cut short, and says what it cannot read."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from evidence.records import reading
from experiment.plans import cell, execution, host, plan
from runfair.errors import UserMistake
from runfair.experiment.order import planned_executions
from runfair.formats.kept_file import keeping
from runfair.formats.plan import Plan
from runfair.formats.record import FileName
from runfair.formats.run_folder import RunFolder


@pytest.fixture
def whole() -> Plan:
    cells = [cell(variant="a"), cell(variant="b")]
    return plan(cells, planned_executions(cells, executions=2, pilots=0, seed=1))


@pytest.fixture
def folder(tmp_path: Path, whole: Plan) -> RunFolder:
    return RunFolder.create(tmp_path, whole, host())


def test_what_is_written_is_read_back(folder: RunFolder, whole: Plan) -> None:
    assert folder.path.name == "2023-11-14T22-13-20Z-test"
    assert folder.plan() == whole
    assert folder.host() == host()
    assert folder.executions() == []
    written = [execution(one) for one in whole.executions]
    for one in written:
        folder.append(one)
    assert folder.executions() == written


def test_other_versions_that_resumed_the_run_are_named(folder: RunFolder, whole: Plan) -> None:
    for version in (whole.runfair, "2", "2", "3", whole.runfair):
        folder.add_version(version)
    assert folder.plan().runfair == ", resumed by ".join([whole.runfair, "2", "3", whole.runfair])


def test_two_runs_of_one_second_have_two_folders(
    tmp_path: Path, folder: RunFolder, whole: Plan
) -> None:
    assert RunFolder.create(tmp_path, whole, host()).path.name == f"{folder.path.name}-2"


def test_a_torn_last_line_is_passed_over_and_dropped(folder: RunFolder, whole: Plan) -> None:
    first, second, *_ = [execution(one) for one in whole.executions]
    folder.append(first)
    with folder.executions_file.open("ab") as file:
        file.write(second.model_dump_json().encode()[:40])
    assert folder.executions() == [first]
    folder.drop_torn_lines()
    folder.append(second)
    assert folder.executions() == [first, second]


def test_readings_are_kept_and_a_torn_last_one_dropped(folder: RunFolder, whole: Plan) -> None:
    assert folder.readings() == []
    first, second = (reading("memory", execution(one)) for one in whole.executions[:2])
    folder.append_reading(first)
    with folder.reference_file.open("ab") as file:
        file.write(second.model_dump_json().encode()[:40])
    assert folder.readings() == [first]
    folder.drop_torn_lines()
    folder.append_reading(second)
    assert folder.readings() == [first, second]


def test_the_latest_attempt_stands_and_all_are_kept(folder: RunFolder, whole: Plan) -> None:
    planned = whole.executions[0]
    folder.append(execution(planned))
    folder.append(execution(planned, attempt=2))
    assert [one.attempt for one in folder.executions()] == [2]
    assert [one.attempt for one in folder.attempts()] == [1, 2]


def test_iterations_of_a_torn_file(folder: RunFolder) -> None:
    path = folder.iterations_file("00001.1")
    path.write_text('{"wall_ns": 5, "cpu_ns": 4}\n{"wall_ns": 6, "cpu_ns": 5}\n{"wall_')
    assert folder.iterations("00001.1") == ([5, 6], [4, 5])
    assert folder.iterations("none") == ([], [])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"schema_version": 0}', "schema 0, but this version of runfair reads schema 1"),
        ("{}", "schema None"),
        ("[]", "contains no JSON object"),
        ("\x00junk", "contains no JSON object"),
        ('{"schema_version": 1}', "Field required"),
    ],
)
def test_another_schema_is_told(folder: RunFolder, content: str, said: str) -> None:
    folder.plan_file.write_text(content)
    with pytest.raises(UserMistake, match=said) as caught:
        folder.plan()
    assert "\n" not in str(caught.value)


def test_executions_of_another_schema_are_told(folder: RunFolder, whole: Plan) -> None:
    line = json.loads(execution(whole.executions[0]).model_dump_json())
    folder.executions_file.write_text(json.dumps({**line, "schema_version": 9}) + "\n")
    with pytest.raises(UserMistake, match="another version of runfair wrote this file"):
        folder.executions()


ELSEWHERE = ["../../escaped", "/tmp/escaped", "..", ".hidden", "", "a/b", "a\x00b", "a\nb"]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_no_record_names_a_file_outside_its_folder(
    folder: RunFolder, whole: Plan, name: str
) -> None:
    """A run may come from somebody else."""
    line = json.loads(execution(whole.executions[0]).model_dump_json())
    for key in ("id", "planned"):
        folder.executions_file.write_text(json.dumps({**line, key: name}) + "\n")
        with pytest.raises(UserMistake, match="another version of runfair wrote this file"):
            folder.executions()
    plan = whole.model_dump(mode="json")
    plan["executions"][0]["id"] = name
    folder.plan_file.write_text(json.dumps(plan))
    with pytest.raises(UserMistake, match="pattern"):
        folder.plan()


@given(name=st.text())
def test_a_name_of_a_file_stays_in_its_folder(name: str) -> None:
    try:
        TypeAdapter(FileName).validate_python(name)
    except ValidationError:
        return
    inside = Path("/results/run")
    assert Path(os.path.normpath(inside / name)).parent == inside


def test_a_run_is_found_by_path_name_and_latest(
    tmp_path: Path, folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (str(folder.path), folder.path.name, "latest"):
        assert RunFolder.find(name, tmp_path) == folder
    monkeypatch.chdir(folder.path)
    assert RunFolder.find(".", tmp_path).path.name == folder.path.name
    with pytest.raises(UserMistake, match="there is no run with this name"):
        RunFolder.find("nothing", tmp_path)
    with pytest.raises(UserMistake, match="there is no run in this folder"):
        RunFolder.find("latest", tmp_path / "empty")


def test_a_full_disk_is_the_users_line_and_other_errors_are_not(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no space left"), keeping(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(UserMistake, match="cannot be written"), keeping(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")
    with pytest.raises(OSError, match="Input/output"), keeping(tmp_path):
        raise OSError(errno.EIO, "Input/output error")


def test_a_really_full_disk() -> None:
    full = Path("/dev/full")
    with (
        pytest.raises(UserMistake, match="no space left"),
        keeping(full),
        full.open("wb") as file,
    ):
        file.write(b"x" * 100_000)


def test_usage_of_another_schema_is_told_and_a_torn_line_passed_over(folder: RunFolder) -> None:
    folder.raw_folder("00001.1").mkdir()
    folder.usage_file("00001.1").write_text('{"at": 1, "tree": "service"}\n{"torn')
    with pytest.raises(
        UserMistake, match=r"usage\.jsonl: another version of runfair wrote this file"
    ) as caught:
        folder.usage("00001.1")
    assert "\n" not in str(caught.value)
    folder.usage_file("00001.1").write_text('{"torn')
    assert folder.usage("00001.1") == []
    assert folder.usage("no such execution") == []


def test_a_renamed_run_is_not_the_latest(tmp_path: Path, folder: RunFolder) -> None:
    renamed = tmp_path / "before"
    renamed.mkdir()
    (renamed / "experiment.json").touch()
    assert RunFolder.find("latest", tmp_path) == folder
