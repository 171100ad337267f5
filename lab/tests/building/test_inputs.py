"""Inputs made by generators: files, and whole folders."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from runfair.building import checksum
from runfair.building.checksum import fingerprint, sha256_of
from runfair.building.inputs import input_file
from runfair.catalogue.benchmark import Benchmark, benchmarks
from runfair.errors import UserMistake
from runfair.formats.answer import Answer, Answers, write_answers
from runfair.formats.variant import Artefact

TEXT = """
name = "walk"
suite = "test"
about = "Walking"
counters = ["steps"]
default_workload = "far"
[workloads]
far = "far away"
[sizes.tiny]
input = { files = 2 }
[input]
generator = "generate.py"
folder = true
[programs]
python = { folder = "python" }
"""
GENERATOR = """
import pathlib, sys
given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
folder = pathlib.Path(given["--output"])
folder.mkdir()
for number in range(int(given["--files"])):
    (folder / f"{number}.log").write_text(given["--seed"])
    if pathlib.Path(__file__).with_name("fail").exists():
        sys.exit(1)
"""


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    folder = tmp_path / "walks" / "walk"
    folder.mkdir(parents=True)
    (folder / "benchmark.toml").write_text(TEXT)
    (folder / "generate.py").write_text(GENERATOR)
    return benchmarks(tmp_path)["walk"]


def made(walk: Benchmark, seed: int = 1) -> Path:
    path = input_file(walk, "far", "tiny", seed)
    assert path is not None
    return path


def test_a_folder_is_made_once(walk: Benchmark) -> None:
    path = made(walk)
    assert [file.name for file in sorted(path.iterdir())] == ["0.log", "1.log"]
    (path / "mark").touch()
    assert made(walk) == path
    assert (path / "mark").exists()
    assert made(walk, seed=2) != path


def test_a_failed_generator_leaves_no_half_of_a_folder(walk: Benchmark) -> None:
    (walk.folder / "fail").touch()
    with pytest.raises(UserMistake, match="the generator of an input file failed"):
        made(walk)
    (walk.folder / "fail").unlink()
    assert len(list(made(walk).iterdir())) == 2


def test_its_checksum_is_of_names_and_bytes(
    walk: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checksum, "STILL_NS", -1)
    path = made(walk)
    first = sha256_of(path)
    (path / "1.log").rename(path / "2.log")
    assert sha256_of(path) != first
    (path / "2.log").rename(path / "1.log")
    assert sha256_of(path) == first
    answer = Answer(
        workload="far",
        size="tiny",
        seed=1,
        digest="0" * 16,
        operations={"steps": 1},
        input_sha256=first,
    )
    write_answers(walk.folder, Answers(answers=[answer]))
    again = benchmarks(walk.folder.parent.parent)["walk"]
    made(again)
    assert path.with_name(f"{path.name}.sha256").exists()
    before = (path / "1.log").stat()
    time.sleep(0.02)  # further than a step of the kernel's clock of files
    (path / "1.log").write_text("2")
    os.utime(path / "1.log", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(UserMistake, match="the checksum of this input file is wrong"):
        made(again)


def test_a_changed_folder_is_seen_before_an_execution(walk: Benchmark) -> None:
    path = made(walk)
    artefact = Artefact(variant="a", program="b", command=["true"], directory="/", sha256="")
    before = fingerprint(artefact, [str(path)])
    assert fingerprint(artefact, [str(path)]) == before
    (path / "0.log").write_text("longer than it was")
    assert fingerprint(artefact, [str(path)]) != before
