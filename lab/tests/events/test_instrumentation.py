from __future__ import annotations

from pathlib import Path

import pytest

from runfair.catalogue.family import catalogue_files, load_families
from runfair.errors import UserMistake
from runfair.events.instrumentation import collect, instrumentation

GARBAGE_COLLECTED = {
    "go",
    "gccgo",
    "openjdk",
    "temurin",
    "node",
    "sparrow",
    "bun",
    "cpython",
    "pypy",
}


def test_every_family_with_a_collector_is_asked(tmp_path: Path) -> None:
    families = load_families(catalogue_files()).families
    asked = {name for name in families if instrumentation(name, tmp_path / name, {}) is not None}
    assert asked == GARBAGE_COLLECTED & set(families)


@pytest.mark.parametrize(
    ("family", "variable", "before", "merged"),
    [
        ("go", "GODEBUG", "madvdontneed=1", "madvdontneed=1,gctrace=1"),
        ("openjdk", "JDK_JAVA_OPTIONS", "-Xmx1g", "-Xmx1g '-Xlog:"),
        ("node", "NODE_OPTIONS", "--max-old-space-size=99", "--max-old-space-size=99 --require "),
    ],
)
def test_what_was_set_stays(
    family: str, variable: str, before: str, merged: str, tmp_path: Path
) -> None:
    with_it = instrumentation(family, tmp_path / "a", {variable: before})
    without = instrumentation(family, tmp_path / "a", {})
    assert with_it is not None
    assert without is not None
    assert with_it.environment[variable].startswith(merged)
    assert with_it.environment[variable].endswith(without.environment[variable])


def test_a_program_that_may_not_read_the_preload_is_started_without_it(tmp_path: Path) -> None:
    def asked(*options: str, **environment: str) -> bool:
        command = ("node", *options, "server.js")
        return instrumentation("node", tmp_path, environment, command) is not None

    assert asked()
    assert not asked("--permission", "--allow-fs-read=/srv")
    assert not asked("--experimental-permission", "--allow-fs-read=*")
    assert not asked(NODE_OPTIONS="--max-old-space-size=99 --permission")
    assert asked("--permission", "--allow-fs-read=*", "--allow-fs-write=*")


def test_pythons_path_comes_after_ours(tmp_path: Path) -> None:
    asked = instrumentation("cpython", tmp_path, {"PYTHONPATH": "/one:/two"})
    assert asked is not None
    assert asked.environment["PYTHONPATH"].endswith("/preloads/python:/one:/two")


def test_where_standard_error_is_needed_it_has_a_fifo(tmp_path: Path) -> None:
    for family in ("go", "bun"):
        asked = instrumentation(family, tmp_path / family, {})
        assert asked is not None
        assert asked.stderr == tmp_path / family / "stderr.fifo"
        with pytest.raises(ValueError, match="standard error"):
            collect(family, tmp_path / family, None)


def test_a_runtime_that_told_nothing_is_not_one_without_collections(tmp_path: Path) -> None:
    assert collect("cpython", tmp_path, None).processes == 0


def test_a_family_without_a_collector(tmp_path: Path) -> None:
    assert instrumentation("rust", tmp_path, {}) is None
    with pytest.raises(ValueError, match="rust"):
        collect("rust", tmp_path, None)


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a:b", "a%pb", "a,b"])
def test_a_folder_that_cannot_be_told_of(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="choose another"):
        instrumentation("openjdk", tmp_path / name, {})
