"""Programs in pairs: what is established, what noise hides, and a program that is slower."""

from __future__ import annotations

import pytest

from checking import pairs
from checking.pairs import Contest, cell_of, judged, ratio
from checking.passes import ServerFailed, pass_cpu_ns
from checking.signed_ranks import Middle
from runfair.building.artefact import build
from runfair.building.failure import BuildFailed
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.program import mutants_of
from runfair.catalogue.runtime import variants
from runfair.formats.plan import Cell
from runfair.machine.processors import assign


def test_an_honest_program_passes() -> None:
    assert judged("x", Middle(1.0, 0.97, 1.04), bound=1.1).passed == 1


def test_a_program_that_is_established_to_be_slower_fails() -> None:
    assert judged("x", Middle(1.2, 1.15, 1.3), bound=1.1).failed == 1


def test_what_noise_hides_neither_passes_nor_fails() -> None:
    found = judged("x", Middle(1.05, 0.9, 1.2), bound=1.1)
    assert (found.passed, found.failed) == (0, 0)
    assert "between 0.900 and 1.200" in found.skipped[0].reason


def test_a_program_that_does_not_build_is_not_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> Cell:
        raise BuildFailed("no such header")

    monkeypatch.setattr(pairs, "cell_by_hand", failing)
    (cpp,) = [one for one in variants() if one.default and one.language == "c++"]
    with pytest.raises(BuildFailed):
        cell_of(benchmarks()["sort"], cpp, "standard")


@pytest.mark.long
def test_a_program_that_is_twice_as_slow_is_seen() -> None:
    """C++'s sort of values takes three times the CPU time of its sort of references."""
    (cpp,) = [one for one in variants() if one.default and one.language == "c++"]
    standard = cell_of(benchmarks()["sort"], cpp, "standard")
    values = cell_of(benchmarks()["sort"], cpp, "values")
    assert standard and values
    assert ratio(Contest("slower", values, standard)).low > 1.5
    assert ratio(Contest("faster", standard, values)).high < 0.7


@pytest.mark.long
def test_a_server_that_takes_more_time_is_seen() -> None:
    """C++'s server that reads files by iterators takes several times the CPU time of its server
    that reads a file with one call."""
    (cpp,) = [one for one in variants() if one.default and one.language == "c++"]
    standard = cell_of(benchmarks()["file-server"], cpp, "standard")
    iterators = cell_of(benchmarks()["file-server"], cpp, "iterators")
    assert standard and iterators
    assert ratio(Contest("slower", iterators, standard), pairs=6).low > 1.5


@pytest.mark.long
def test_a_server_with_wrong_answers_fails() -> None:
    """The server's own mutant gives a file of zeros."""
    (python,) = [one for one in variants() if one.default and one.language == "python"]
    benchmark = benchmarks()["file-server"]
    cell = cell_of(benchmark, python, "plain")
    source = benchmark.program("python", "plain")
    assert cell and cell.drive and source
    (mutant,) = [one for one in mutants_of(source.folder) if one.text.kind == "skipped"]
    wrong = build(python, source, edits=mutant.text.edits)
    with pytest.raises(ServerFailed, match="wrong"):
        pass_cpu_ns(cell.model_copy(update={"artefact": wrong}), cell.drive, assign(1), 0.1)
