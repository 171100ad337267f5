"""Comparisons of unlike things."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from evidence.honest_run import JAVA, OPERATIONS, PYTHON, cell_id, honest_run
from evidence.honest_services import (
    FASTIFY,
    SERVICES,
    VERTX,
    ServiceRun,
    honest_services,
    on_services,
    service_cell,
    services_of,
)
from evidence.records import EXECUTIONS, Records
from evidence.two_hosts import launched, on_two_hosts
from fairness.stories import SMALL, Story
from runfair.fairness.checks.equal_conditions import check
from runfair.formats.launch import PageCache
from runfair.formats.plan import Factors

JVM = cell_id(JAVA)


def files(resident_after: int) -> PageCache:
    return PageCache(asked=10_000, resident_before=10_000, resident_after=resident_after)


def cold_files(
    run: Records, resident_after: int | None, state: Literal["cold", "empty"] = "cold"
) -> Records:
    cache = None if resident_after is None else files(resident_after)
    return run.with_cell(SMALL, factors=Factors(page_cache=state)).with_launches(
        SMALL, page_cache=cache
    )


def uncounted(run: Records) -> Records:
    return run.with_cells(lambda _: True, operations=None)


def counting(run: Records, cell: str, tries: int) -> Records:
    return run.with_records(cell, 1, operations={**OPERATIONS, "tries": tries})


def instances(run: ServiceRun, *counts: int) -> Records:
    """Of each service, in the order of the experiment."""
    cells = []
    for cell, count in zip(run.plan.cells, counts, strict=True):
        assert cell.service is not None
        service = cell.service.model_copy(update={"instances": count})
        cells.append(cell.model_copy(update={"service": service}))
    return run.with_plan(cells=cells)


HELD: dict[str, Any] = {"nr_periods": 100, "memory_limit_method": "cgroup_v2"}


def not_given(run: ServiceRun, **factors: Any) -> Records:
    """Both were to have them, and one of them ran already."""
    declared = run.with_cells(lambda _: True, factors=Factors(**factors))
    told = declared.with_launches(service_cell(FASTIFY), **HELD)
    return services_of(told).hosted(VERTX, "url")


NO_COUNT = frozenset({"dead_code"})
RAN_ALREADY = frozenset({"foreign_time", "unequal_builds"})

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
        "a program of contract 2, which does not repeat what it was asked",
        lambda run: run.with_starts(JVM, contract=2, workload=None, size=None, seed=None),
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
    Story(
        "four instances against one",
        on_services(lambda run: instances(run, 1, 4)),
        "warning",
        service_cell(SERVICES[1]),
    ),
    Story(
        "four instances of each",
        on_services(lambda run: instances(run, 4, 4)),
        None,
        service_cell(SERVICES[1]),
    ),
    Story(
        "one that ran already, beside one that was started",
        on_services(lambda run: run.hosted(VERTX, "url")),
        "limitation",
        service_cell(VERTX),
        RAN_ALREADY,
    ),
    Story(
        "one that ran already without the quota",
        on_services(lambda run: not_given(run, cpu_quota=0.5)),
        "fault",
        service_cell(VERTX),
        RAN_ALREADY,
    ),
    Story(
        "a service that was started, with the quota and the limit",
        on_services(
            lambda run: (
                run.with_cells(
                    lambda _: True, factors=Factors(cpu_quota=0.5, memory_limit_bytes=2**30)
                )
                .with_launches(service_cell(FASTIFY), **HELD)
                .with_launches(service_cell(VERTX), **HELD)
            )
        ),
        None,
    ),
    Story("files that stayed warm", lambda run: cold_files(run, 101), "fault"),
    Story("files that are cold", lambda run: cold_files(run, 100), None),
    Story(
        "files that stayed warm in one execution",
        lambda run: cold_files(run, 0).with_launches(SMALL, 1, page_cache=files(101)),
        "fault",
    ),
    Story(
        "files not told in one execution",
        lambda run: cold_files(run, 0).with_launches(SMALL, 1, page_cache=None),
        "limitation",
    ),
    Story(
        "no files, of which none stayed warm",
        lambda run: cold_files(run, 0).with_launches(
            SMALL, page_cache=PageCache(asked=0, resident_before=0, resident_after=0)
        ),
        None,
    ),
    Story("an empty page cache that was not", lambda run: cold_files(run, 101, "empty"), "fault"),
    Story("an empty page cache", lambda run: cold_files(run, 100, "empty"), None),
    Story(
        "whether the page cache was empty is not told",
        lambda run: cold_files(run, None, "empty"),
        "limitation",
    ),
    Story(
        "a memory limit that is not told to hold in one execution",
        lambda run: (
            run.with_cell(SMALL, factors=Factors(memory_limit_bytes=2**30))
            .with_launches(SMALL, memory_limit_method="watched")
            .with_launches(SMALL, 1, memory_limit_method=None)
        ),
        "limitation",
    ),
    Story(
        "a quota that is not told to hold in one execution",
        lambda run: (
            run.with_cell(SMALL, factors=Factors(cpu_quota=0.5))
            .with_launches(SMALL, nr_periods=100)
            .with_launches(SMALL, 1, nr_periods=None)
        ),
        "limitation",
    ),
    Story(
        "one that failed was on no processor to differ in",
        lambda run: run.failing(JVM, EXECUTIONS),
        None,
        also=frozenset({"failures", "executions"}),
    ),
    Story("files not told", lambda run: cold_files(run, None), "limitation"),
)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"parameters": {"depth": 1}},
            "the parameters of this program are {'depth': 1}, but those of gcc-12.2.0+o3 are {}, "
            "so the two programs cannot be compared",
        ),
        (
            {"inputs": ["b.txt"]},
            "the inputs of this program are ['b.txt'], but those of gcc-12.2.0+o3 are "
            "['sudoku-small.txt'], so the two programs cannot be compared",
        ),
    ],
)
def test_a_difference_is_named_beside_the_baseline(changes: dict[str, Any], text: str) -> None:
    (finding,) = check(honest_run().with_cell(JVM, **changes).evidence())
    assert (finding.cell, finding.text) == (JVM, text)


def test_what_was_declared_and_not_given_is_named() -> None:
    run = not_given(honest_services(), cpu_quota=0.5, memory_limit_bytes=2**30, heap_bytes=2**29)
    (text,) = {one.text for one in check(run.evidence()) if one.severity == "fault"}
    assert text == (
        "the limits of the experiment were not applied, because runfair did not start this "
        "external service: CPU quota, memory limit, heap"
    )


def test_two_programs_that_count_alike_do_equal_work() -> None:
    """Without a canonical count; of the other programs at that size nothing is to be said."""
    run = counting(counting(uncounted(honest_run()), SMALL, 5), JVM, 5)
    assert {one.cell for one in check(run.evidence()) if "/small/" in (one.cell or "")} == set()
    alone = counting(uncounted(honest_run()), SMALL, 5)
    assert SMALL in {one.cell for one in check(alone.evidence())}


def test_a_count_that_differs_is_told_beside_the_other() -> None:
    run = counting(counting(uncounted(honest_run()), SMALL, 5), JVM, 6)
    (finding,) = [one for one in check(run.evidence()) if one.severity == "fault"]
    rest = "placements 300,000,000, reads 1,700,000,000"
    assert finding.text == (
        f"the program did unequal work: it counted {rest}, tries 6, but gcc-12.2.0+o3 counted "
        f"{rest}, tries 5"
    )


def test_of_work_that_failed_it_is_not_said_whether_it_was_equal() -> None:
    run = uncounted(honest_run()).failing(SMALL, EXECUTIONS)
    assert SMALL not in {one.cell for one in check(run.evidence())}


def test_a_service_of_the_user_gets_no_input_files() -> None:
    given = honest_services().with_cell(service_cell(FASTIFY), inputs=["payments.json"])
    (text,) = {one.text for one in check(given.evidence()) if "inputs" in one.text}
    assert "payments.json" in text
    own = services_of(given).hosted(VERTX, "command")
    assert not [one for one in check(own.evidence()) if "inputs" in one.text]


def test_each_host_of_a_service_has_the_same_processors() -> None:
    assert [*check(on_two_hosts().evidence())] == []
    elsewhere = on_two_hosts(launched(processors=[0, 1, 2, 3]), of=FASTIFY).evidence()
    assert "fault" in {one.severity for one in check(elsewhere)}
