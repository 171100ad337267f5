"""What was asked for, and what is in force."""

from __future__ import annotations

import pytest

from evidence.honest_run import GCC, GO, JAVA, PYTHON, cell_id, honest_run
from evidence.records import Records
from evidence.two_hosts import on_two_hosts, started
from fairness.stories import SMALL, Story
from runfair.fairness.checks.effective_flags import check
from runfair.fairness.effective import enabled, same
from runfair.formats.finding import Severity
from runfair.formats.plan import Drive, Factors
from runfair.formats.record import Scalar

JVM = cell_id(JAVA)
GO_CELL = cell_id(GO)
PYTHON_CELL = cell_id(PYTHON)
MIB = 2**20


def heap(run: Records, asked: int, said: int | None) -> Records:
    effective: dict[str, Scalar] = dict(JAVA.effective)
    if said is not None:
        effective["heap_max_bytes"] = said
    return run.with_cell(JVM, factors=Factors(heap_bytes=asked)).with_effective(JVM, effective)


def asked_for_graal(run: Records) -> Records:
    return run.with_variant(JAVA.name, settings={"collector": "g1", "graal": True})


STORIES = (
    Story(
        "a JVM took the serial collector",
        lambda run: run.with_effective(JVM, {"collector": "serial", "execution": "mixed"}),
        "fault",
        JVM,
    ),
    Story(
        "in one execution only",
        lambda run: run.with_starts(JVM, 1, effective={"collector": "serial"}),
        "fault",
        JVM,
    ),
    Story(
        "the artefact was built at -O2", lambda run: run.with_flags(GCC.name, "-O3 -O2"), "fault"
    ),
    Story(
        "more threads than asked for",
        lambda run: run.with_starts(SMALL, 1, threads=2),
        "fault",
    ),
    Story(
        "a JVM believes in another processor",
        lambda run: run.with_starts(JVM, 1, processors=2),
        "fault",
        JVM,
    ),
    Story(
        "Go's scheduler uses another processor",
        lambda run: run.with_effective(GO_CELL, {**GO.effective, "gomaxprocs": 2}),
        "fault",
        GO_CELL,
    ),
    Story(
        "Go's scheduler, in one execution only",
        lambda run: run.with_starts(GO_CELL, 1, effective={**GO.effective, "gomaxprocs": 2}),
        "fault",
        GO_CELL,
    ),
    Story(
        "a driven server in Go, whose scheduler uses a processor a thread",
        lambda run: run.with_cells(
            lambda cell: cell.id == GO_CELL,
            threads=2,
            drive=Drive(protocol="resp", connections=8, requests=10),
        ).with_starts(GO_CELL, threads=2, effective={**GO.effective, "gomaxprocs": 2}),
        None,
        GO_CELL,
    ),
    Story(
        "glibc tells of processors that are not the program's",
        lambda run: run.with_starts(SMALL, processors=2),
        "limitation",
    ),
    Story(
        "a driven server of one event loop, whatever it is given",
        lambda run: run.with_cells(
            lambda cell: cell.id == SMALL,
            threads=2,
            drive=Drive(protocol="resp", connections=8, requests=10),
        ),
        "limitation",
    ),
    Story(
        "a driven server of more threads than it was given",
        lambda run: run.with_cells(
            lambda cell: cell.id == SMALL,
            drive=Drive(protocol="resp", connections=8, requests=10),
        ).with_starts(SMALL, 1, threads=2),
        "fault",
    ),
    Story(
        "an event loop of one thread, which the benchmark declares",
        lambda run: run.with_cells(
            lambda cell: cell.id == PYTHON_CELL, threads=2, most_threads=1
        ).with_starts(PYTHON_CELL, threads=1),
        "limitation",
        PYTHON_CELL,
    ),
    Story(
        "an event loop of one thread, which nobody declares",
        lambda run: run.with_cells(lambda cell: cell.id == PYTHON_CELL, threads=2).with_starts(
            PYTHON_CELL, threads=1
        ),
        "fault",
        PYTHON_CELL,
    ),
    Story(
        "a program that uses more threads than the benchmark declares",
        lambda run: run.with_cells(
            lambda cell: cell.id == PYTHON_CELL, threads=2, most_threads=1
        ).with_starts(PYTHON_CELL, 1, threads=2),
        "fault",
        PYTHON_CELL,
    ),
    Story(
        "in a program of many threads",
        lambda run: run.with_cells(lambda cell: cell.id == SMALL, threads=2).with_starts(
            SMALL, processors=2, threads=2
        ),
        "fault",
    ),
    Story(
        "not pinned",
        lambda run: run.with_launches(JVM, processors=[0, 1]),
        "fault",
        JVM,
        frozenset({"equal_conditions"}),
    ),
    Story("a heap too great", lambda run: heap(run, 1024 * MIB, 1127 * MIB), "fault", JVM),
    Story("a heap rounded", lambda run: heap(run, 1024 * MIB, 1126 * MIB), None, JVM),
    Story(
        "a small heap with its young generation", lambda run: heap(run, 64 * MIB, 112 * MIB), None
    ),
    Story("a small heap and more", lambda run: heap(run, 64 * MIB, 113 * MIB), "fault", JVM),
    Story("a heap too small", lambda run: heap(run, 1024 * MIB, 900 * MIB), "fault", JVM),
    Story(
        "heaps that differ between executions",
        lambda run: heap(run, 64 * MIB, 64 * MIB).with_starts(
            JVM, 1, effective={**JAVA.effective, "heap_max_bytes": 80 * MIB}
        ),
        "fault",
        JVM,
    ),
    Story("a heap not told", lambda run: heap(run, 64 * MIB, None), "limitation", JVM),
    Story(
        "the collector not told",
        lambda run: run.with_effective(JVM, {"execution": "mixed"}),
        "limitation",
        JVM,
    ),
    Story(
        "the collector in other words",
        lambda run: run.with_effective(JVM, {"collector": "G1-GC"}),
        None,
    ),
    Story(
        "C2 in place of Graal",
        lambda run: asked_for_graal(run).with_flags(
            JAVA.name, "UseJVMCICompiler = false {product}"
        ),
        "fault",
        JVM,
    ),
    Story(
        "Graal, as asked",
        lambda run: asked_for_graal(run).with_flags(JAVA.name, "UseJVMCICompiler = true {product}"),
        None,
    ),
    Story("Graal, but the flags are not listed", asked_for_graal, "limitation", JVM),
    Story(
        "asked for the lock, run without",
        lambda run: run.with_variant(PYTHON.name, settings={"gil": False}),
        "fault",
        cell_id(PYTHON),
    ),
)


@pytest.mark.parametrize(
    ("asked", "said", "agree"),
    [
        ("O3", "-O3", True),
        ("O3", "3", True),
        ("O3", "speed", True),
        ("O0", "speed", False),
        ("O3", "none", False),
        ("O2", "O3", False),
        (True, "O3", True),
        (True, "off", False),
        ("g1", "serial", False),
        ("zgc", "z", True),
        (200, 200, True),
        (200, "200", True),
    ],
)
def test_words_that_agree(asked: Scalar, said: Scalar, agree: bool) -> None:
    assert same(asked, said) is agree
    assert same(said, asked) is agree


@pytest.mark.parametrize("word", ["none", "O0", "-O0", "off", "", "0", "False"])
def test_words_for_off(word: str) -> None:
    assert not enabled(word)


@pytest.mark.parametrize(
    ("asked", "said", "advice"),
    [
        (2, 1, "state `threads = [1]` in the experiment, because the program uses 1 thread"),
        (4, 2, "state `threads = [2]` in the experiment, because the program uses 2 threads"),
        (1, 2, "correct the program"),
    ],
)
def test_advice_on_threads_is_not_about_flags(asked: int, said: int, advice: str) -> None:
    run = honest_run().with_cell(SMALL, threads=asked).with_starts(SMALL, threads=said)
    (finding,) = check(run.evidence())
    assert finding.severity == "fault"
    assert finding.advice.startswith(advice)
    assert "flags" not in finding.advice


def test_a_pool_with_a_thread_for_each_processor_wants_as_many_threads() -> None:
    factors = Factors(processors=2)
    run = honest_run().with_cell(SMALL, factors=factors)
    run = run.with_starts(SMALL, threads=2, processors=2)
    told = [one.advice for one in check(run.evidence()) if "threads" in one.text]
    assert told and told[0].startswith("state `threads = [2]` in the experiment, because")


@pytest.mark.parametrize(
    ("language", "severity"),
    [
        ("c", "limitation"),
        ("c++", "limitation"),
        ("rust", "limitation"),
        ("python", "limitation"),
        ("javascript", "limitation"),
        ("java", "fault"),
        ("go", "fault"),
    ],
)
def test_who_makes_threads_by_the_processors_it_sees(language: str, severity: Severity) -> None:
    run = honest_run().with_cell(SMALL, language=language).with_starts(SMALL, processors=2)
    assert [one.severity for one in check(run.evidence())] == [severity]


def test_each_host_of_a_service_is_examined() -> None:
    honest = on_two_hosts().evidence()
    run = on_two_hosts(started(threads=4)).evidence()
    new = [one for one in check(run) if one not in [*check(honest)]]
    assert {one.severity for one in new} == {"fault"}
    assert all(one.text.startswith("second: ") and "threads" in one.text for one in new)
    assert len(new) == len(run.services)
