"""Tables and conclusions of crossovers."""

from __future__ import annotations

from evidence.honest_run import GCC, GO, JAVA, honest_run
from result.test_crossover import of_result, piece, program
from runfair.formats.plan import Drive
from runfair.report.conclusion.conclusion import conclude
from runfair.report.conclusion.crossovers import crossover_questions
from runfair.report.crossover_tables import crossover_tables
from runfair.report.table import tables

CELLS = [
    *program(),
    *program(variant=GO.name, dearer=1),
    *[piece("spawn", n, (1, 9), variant=JAVA.name, verdict="flagged") for n in (1, 2)],
    *[piece("worker", n, (1, 9), variant=JAVA.name) for n in (1, 2)],
]


def test_each_program_has_a_row() -> None:
    (table,) = crossover_tables(of_result(*CELLS))
    assert table.title == (
        "pieces · spawn and worker · small · steady · tasks=256 · crossover by rounds"
    )
    assert table.columns[:3] == ("variant", "rounds", "crossover")
    assert [row.cells for row in table.rows] == [
        (GCC.name, "1 to 10,000", "676 to 1,270", "worker", "spawn", "fair"),
        (GO.name, "1 to 10,000", "none", "worker", "worker", "fair"),
        (JAVA.name, "1 to 2", "unknown*", "unknown", "unknown", "flagged"),
    ]
    assert table in tables(of_result(*CELLS))


def test_each_number_of_connections_has_a_crossover_of_its_own() -> None:
    cells = [
        cell.model_copy(
            update={
                "id": f"{cell.id}-{count}",
                "drive": Drive(protocol="resp", connections=count, requests=10),
            }
        )
        for count, share in ((1, 0.05), (64, 0.1))
        for cell in program(share=share)
    ]
    found = crossover_tables(of_result(*cells))
    assert [table.title.split(" · ")[-2] for table in found] == ["1 connection", "64 connections"]
    assert [len(table.rows) for table in found] == [1, 1]
    assert [one.title.partition(":")[0] for one in crossover_questions(of_result(*cells))] == [
        "pieces · tasks=256 · 1 connection",
        "pieces · tasks=256 · 64 connections",
    ]


def test_a_crossover_with_one_limit_says_which_side_is_unknown() -> None:
    cells = [*program(share=0.3, dearer=2), *program(variant=GO.name)[:4]]
    (table,) = crossover_tables(of_result(*cells))
    assert [row.cells[2:5] for row in table.rows] == [
        ("≥ 475", "worker", "unknown"),
        ("none", "worker", "worker"),
    ]
    assert "no upper limit (≥)" in table.notes[0]
    assert "the same time (tasks p50)" in table.notes[0]


def test_curves_that_cross_twice_are_said_to() -> None:
    times = {1: (5, 6), 2: (1, 2), 4: (5, 6)}
    spawned = [piece("spawn", n, one) for n, one in times.items()]
    sent = [piece("worker", n, (3, 4)) for n in times]
    (table,) = crossover_tables(of_result(*spawned, *sent))
    assert table.rows[0].cells[2:5] == ("several: 1.25 to 3.50", "worker", "worker")


def test_void_times_have_no_crossover() -> None:
    cells = [one for n in (1, 2) for one in (piece("spawn", n, None, verdict="void"),)]
    result = of_result(*cells, *[piece("worker", n, (1, 2)) for n in (1, 2)])
    (table,) = crossover_tables(result)
    assert table.rows[0].cells == (GCC.name, "1 to 2", "void", "—", "—", "void")
    (question,) = crossover_questions(result)
    assert (question.state, question.sentences) == ("open", ("Crossover by rounds: void (gcc).",))


def test_the_conclusion_gives_the_crossovers_and_names_programs_without_one() -> None:
    (question,) = crossover_questions(of_result(*CELLS))
    assert question.title == "pieces · tasks=256: crossover by rounds, steady"
    assert question.sentences == (
        "Crossover by rounds: 676 to 1,270 (gcc); none from 1 to 10,000 (go); unknown (temurin).",
    )
    assert question.rows[0] == (GCC.name, "676 to 1,270", "worker", "spawn")
    assert question.rows[2] == (JAVA.name, "unknown", "unknown", "unknown", "flagged")
    assert question.state == "answered"
    assert ("gcc-12.2.0+o3-spawn-100", "tasks.p50") in question.concerns
    whole = conclude(honest_run().evidence(), of_result(*CELLS))
    assert question in whole.questions
