"""Which steps there are, and what runs beside what."""

from __future__ import annotations

from checking.formatting import PYTHON
from checking.sources import sources
from checking.steps import BUILDING, COMPUTING, stages
from runfair.paths import REPOSITORY


def names(*, long: bool, write: bool = False) -> list[list[set[str]]]:
    return [
        [{step.name for step in lane.steps} for lane in stage]
        for stage in stages(long=long, write=write)
    ]


def formatters(steps: set[str]) -> set[str]:
    return {name for name in steps if name.startswith("format ")}


def test_every_python_file_is_formatted_and_linted() -> None:
    folders = {path.relative_to(REPOSITORY).parts[0] for path in sources("*.py")}
    assert folders == {*PYTHON}


def test_formatters_that_write_come_first() -> None:
    first, beside, _ = names(long=False, write=True)
    assert len(first) == 1
    assert formatters(first[0]) == first[0] != set()
    assert not any(map(formatters, beside))
    beside, _ = names(long=False)
    assert set().union(*map(formatters, beside)) == first[0]


def test_what_is_timed_runs_last_and_alone() -> None:
    assert names(long=False)[-1] == [{"tests of times"}]


def test_what_compiles_and_computes_gives_way_to_the_tests_beside_it() -> None:
    beside, _ = stages(long=False, write=False)
    usual = [step.name for lane in beside if not lane.gives_way for step in lane.steps]
    assert usual == [
        "unit tests of processes",
        "end to end",
        "tests of the load generator and the relay",
    ]


def test_long_adds_steps_and_takes_none_away() -> None:
    short, whole = names(long=False), names(long=True)
    assert whole[: len(short)] == short
    assert len(whole) == len(short) + 1


def test_every_room_that_is_named_is_there() -> None:
    for room in (*COMPUTING, BUILDING):
        assert (REPOSITORY / room).is_dir(), room
