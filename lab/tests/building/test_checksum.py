"""Checksums of inputs: kept while nothing changed, and never believed of what may have."""

from __future__ import annotations

import glob
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runfair.building import checksum
from runfair.building.checksum import files_of, fingerprint, remembered_sha256_of, sha256_of
from runfair.formats.variant import Artefact

KEPT = "f" * 64  # which no bytes here have: who says it has not read them


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksum, "STILL_NS", -1)


@pytest.fixture(params=["file", "folder"])
def given(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "input"
    if request.param == "folder":
        path.mkdir()
        (path / "0.log").write_text("first")
        (path / "1.log").write_text("second")
    else:
        path.write_text("first")
    return path


def one_file(given: Path) -> Path:
    return given / "0.log" if given.is_dir() else given


def falsify(given: Path) -> Path:
    """What is kept of the input names another checksum from now on."""
    beside = given.with_name("input.sha256")
    text = beside.read_text()
    assert sha256_of(given) in text
    beside.write_text(re.sub(r" \w{64}", f" {KEPT}", text))
    return beside


@pytest.mark.usefixtures("still")
def test_an_unchanged_input_is_not_read_again(given: Path) -> None:
    assert remembered_sha256_of(given) == sha256_of(given)
    falsify(given)
    assert remembered_sha256_of(given) == KEPT


def other_bytes(file: Path) -> None:
    file.write_text("other")


def other_bytes_with_the_time_set_back(file: Path) -> None:
    before = file.stat()
    file.write_text("other")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def another_file_of_that_name(file: Path) -> None:
    other = file.with_name("other")
    other.write_text("other")
    other.replace(file)


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize(
    "change", [other_bytes, other_bytes_with_the_time_set_back, another_file_of_that_name]
)
def test_a_changed_input_is_read_again(given: Path, change: Callable[[Path], None]) -> None:
    before = remembered_sha256_of(given)
    falsify(given)
    time.sleep(0.02)  # further than a step of the kernel's clock of files
    change(one_file(given))
    assert remembered_sha256_of(given) == sha256_of(given) != before


@pytest.mark.usefixtures("still")
def test_a_file_more_or_of_another_name_is_noticed(tmp_path: Path) -> None:
    given = tmp_path / "input"
    given.mkdir()
    (given / "0.log").write_text("first")
    seen = {remembered_sha256_of(given)}
    (given / "1.log").touch()
    seen.add(remembered_sha256_of(given))
    (given / "1.log").rename(given / "2.log")
    seen.add(remembered_sha256_of(given))
    assert len(seen) == 3


@pytest.mark.parametrize("above", ["target", "node_modules", ".hidden"])
def test_all_files_count_wherever_the_input_lies(given: Path, above: str) -> None:
    before = sha256_of(given)
    folder = given.parent / above
    folder.mkdir()
    moved = given.rename(folder / "input")
    assert sha256_of(moved) == before
    if moved.is_dir():
        (moved / ".more").touch()
        assert sha256_of(moved) != before


@pytest.mark.parametrize("above", ["target", "node_modules", "target/[a]*?"])
def test_what_tools_made_is_left_out_wherever_the_repository_lies(
    above: str, tmp_path: Path
) -> None:
    folder = tmp_path / above / "clone"
    for name in ("sort.js", "node_modules/library.js", "target/made.js"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    for pattern in ("**", "*.js", "s*", "[nst]*/**", "node_mod*/**", "sort.js"):
        expected = [folder / "sort.js"] if pattern.startswith(("*", "s")) else []
        assert files_of([f"{glob.escape(str(folder))}/{pattern}"]) == expected


@pytest.mark.parametrize("name", ["target/0.log", ".hidden"])
def test_a_fingerprint_has_every_file_of_an_input(name: str, tmp_path: Path) -> None:
    file = tmp_path / "input" / name
    file.parent.mkdir(parents=True)
    file.write_text("1")
    artefact = Artefact(variant="a", program="b", command=["true"], directory="/", sha256="")
    before = fingerprint(artefact, [str(tmp_path / "input")])
    file.write_text("22")
    assert fingerprint(artefact, [str(tmp_path / "input")]) != before


@pytest.mark.usefixtures("still")
@pytest.mark.parametrize("torn", [b"", b"\xff\n", b"0" * 64 + b" ", b"0" * 64 + b" 1234\n"])
def test_what_is_no_memory_is_made_anew(given: Path, torn: bytes) -> None:
    whole = remembered_sha256_of(given)
    beside = given.with_name("input.sha256")
    beside.write_bytes(torn)
    assert remembered_sha256_of(given) == whole
    falsify(given)


def test_an_input_just_written_is_not_believed_to_lie_still(given: Path) -> None:
    """It may change once more within the step of the file system's clock, and keep its times."""
    assert remembered_sha256_of(given) == sha256_of(given)
    assert not given.with_name("input.sha256").exists()
    hour_ns = 3_600 * 10**9
    os.utime(one_file(given), ns=(0, one_file(given).stat().st_mtime_ns - hour_ns))
    assert remembered_sha256_of(given) == sha256_of(given)  # the other time is not so old
    assert not given.with_name("input.sha256").exists()


@pytest.mark.usefixtures("still")
def test_a_fingerprint_reads_an_unchanged_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def counted(path: Path) -> str:
        read.append(path)
        return sha256_of(path)

    monkeypatch.setattr(checksum, "sha256_of", counted)
    file = tmp_path / "program"
    file.write_text("1")
    artefact = Artefact(
        variant="a", program="b", command=["true"], directory="/", sha256="", files=[str(file)]
    )
    before = fingerprint(artefact, [])
    assert fingerprint(artefact, []) == before
    assert read == [file]
    times = file.stat()
    time.sleep(0.02)  # further than a step of the kernel's clock of files
    file.write_text("2")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert fingerprint(artefact, []) != before


def test_a_fingerprint_reads_a_file_that_changed_just_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if all changes fell into one step of the kernel's clock of files.
    monkeypatch.setattr(checksum, "_sha256_of_still", lambda *_: KEPT)
    file = tmp_path / "program"
    seen = set()
    for content in "1234":
        file.write_text(content)
        artefact = Artefact(
            variant="a", program="b", command=["true"], directory="/", sha256="", files=[str(file)]
        )
        seen.add(fingerprint(artefact, []))
    assert len(seen) == 4
