"""Comparisons of unlike things."""

from __future__ import annotations

from fairness.runs import JAVA, OPERATIONS, PYTHON, Records, cell_id
from fairness.stories import SMALL, Story
from runfair.formats.launch import PageCache
from runfair.formats.plan import Factors

JVM = cell_id(JAVA)


def cold_files(run: Records, resident_after: int | None) -> Records:
    cache = None
    if resident_after is not None:
        cache = PageCache(asked=10_000, resident_before=10_000, resident_after=resident_after)
    return run.with_cell(SMALL, factors=Factors(page_cache="cold")).with_launches(
        SMALL, page_cache=cache
    )


def uncounted(run: Records) -> Records:
    return run.with_cells(lambda _: True, operations=None)


def counting(run: Records, cell: str, tries: int) -> Records:
    return run.with_records(cell, 1, operations={**OPERATIONS, "tries": tries})


NO_COUNT = frozenset({"dead_code"})

STORIES = (
    Story(
        "a form, whose programs call it by what the forms have in common",
        lambda run: run.with_cells(lambda _: True, benchmark="sudoku-fast", form="fast"),
        None,
    ),
    Story(
        "the program ran another benchmark",
        lambda run: run.with_starts(JVM, benchmark="sort"),
        "fault",
        JVM,
    ),
    Story(
        "another seed, which makes a comparison of its own",
        lambda run: run.with_cell(JVM, seed=2).with_starts(JVM, seed=2),
        None,
    ),
    Story(
        "other parameters", lambda run: run.with_cell(JVM, parameters={"depth": 1}), "fault", JVM
    ),
    Story("other inputs", lambda run: run.with_cell(JVM, inputs=["b.txt"]), "fault", JVM),
    Story("other processors", lambda run: run.with_launches(JVM, processors=[0]), "fault", JVM),
    Story(
        "the program ran another size",
        lambda run: run.with_starts(JVM, 1, size="tiny"),
        "fault",
        JVM,
    ),
    Story(
        "the program ran another seed", lambda run: run.with_starts(JVM, 1, seed=3), "fault", JVM
    ),
    Story("more work than canonical", lambda run: counting(run, SMALL, 1), "fault"),
    Story("the canonical work", lambda run: counting(run, SMALL, OPERATIONS["tries"]), None),
    Story(
        "no canonical work, and programs differ",
        lambda run: counting(counting(uncounted(run), SMALL, 5), JVM, 6),
        "fault",
        JVM,
        NO_COUNT,
    ),
    Story("nobody counted", uncounted, "limitation", also=NO_COUNT),
    Story(
        "a memory limit that is not told to hold",
        lambda run: run.with_cell(SMALL, factors=Factors(memory_limit_bytes=2**30)),
        "limitation",
    ),
    Story(
        "a memory limit that holds",
        lambda run: run.with_cell(SMALL, factors=Factors(memory_limit_bytes=2**30)).with_launches(
            SMALL, memory_limit_method="cgroup_v1"
        ),
        None,
    ),
    Story(
        "a quota that is not told to hold",
        lambda run: run.with_cell(cell_id(PYTHON), factors=Factors(cpu_quota=0.5)),
        "limitation",
        cell_id(PYTHON),
    ),
    Story("files that stayed warm", lambda run: cold_files(run, 101), "fault"),
    Story("files that are cold", lambda run: cold_files(run, 100), None),
    Story("files not told", lambda run: cold_files(run, None), "limitation"),
)
