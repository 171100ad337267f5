"""Whatever a run is like, its conclusion has room on a terminal of 80 columns and 24 lines."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace

import pytest

from evidence.honest_run import GO, JAVA, PYTHON, cell_id, honest_run
from evidence.honest_services import honest_services
from evidence.records import Records
from report.conclusion.concluded import (
    LOOK,
    default_experiment,
    in_six_languages,
    lines,
    suite,
    swept,
)
from report.page.hostile import LONG, hostile_programs, hostile_services
from report.page.test_poor_runs import (
    of_one_runtime,
    only_failed,
    services_only_failed,
    unsupported,
    without_executions,
)
from report.test_table import lateness
from result.test_run import interrupted
from runfair.report.conclusion.conclusion import Conclusion
from runfair.report.conclusion.question import Question
from runfair.report.conclusion.short_form import HEIGHT, WIDTH, short_form

NAME = "a-service-whose-name-nobody-wants-to-type-" * 5


def some_unsupported() -> Records:
    run = honest_run().with_cell(cell_id(GO), unsupported="needs a newer kernel, " * 10)
    return run.failing(cell_id(JAVA), 6, reason="exit status 1")


def distribution() -> Records:
    return (
        honest_run()
        .sampling(cell_id(GO), lateness(10**6))
        .sampling(cell_id(PYTHON), lateness(10**7))
    )


RUNS: dict[str, Callable[[], Records]] = {
    "the default experiment": default_experiment,
    "one benchmark and one variant": of_one_runtime,
    "eleven benchmarks in six languages": lambda: suite(11),
    "of every condition": lambda: in_six_languages(4),
    "a sweep": swept,
    "services": honest_services,
    "everything void": only_failed,
    "services void": services_only_failed,
    "nothing measured": without_executions,
    "interrupted": interrupted,
    "unsupported": unsupported,
    "some unsupported, some failed": some_unsupported,
    "a distribution": distribution,
    "long names": lambda: hostile_programs(NAME),
    "long names of services": lambda: hostile_services(NAME),
    "a megabyte": lambda: hostile_programs(LONG),
    "hostile": hostile_programs,
    "hostile services": hostile_services,
}


@pytest.mark.parametrize("name", RUNS)
def test_it_has_room_on_a_terminal(name: str) -> None:
    found = lines(RUNS[name]())
    assert len(found) <= HEIGHT
    assert max(map(len, found)) <= WIDTH
    assert not [each for line in found for each in line if unicodedata.category(each) == "Cc"]
    assert found[0].startswith("Measured ")
    assert found[-1].startswith("Look ")
    assert sum(line.startswith("Doubts ") for line in found) == 1


def asking(*questions: Question) -> Conclusion:
    facts = (("Measured", "this"), ("Machine", "here"), ("Quality", "all fair"))
    return Conclusion(facts, questions, (), "fair", "answered")


def numbered(number: int, rows: int, sentences: int = 1) -> Question:
    return Question(
        title=f"question {number}",
        sentences=tuple(f"sentence {number}.{each}" for each in range(sentences)),
        rows=tuple((f"row {number}.{each}", "1.00") for each in range(rows)),
        state="answered",
        concerns=(),
    )


def text_of(conclusion: Conclusion, height: int = HEIGHT, width: int = WIDTH) -> str:
    return "\n".join(short_form(conclusion, LOOK, height=height, width=width))


def test_what_fits_is_shown_whole() -> None:
    assert text_of(asking(numbered(1, 2, 2))).splitlines() == [
        "Measured   this",
        "Machine    here",
        "Quality    all fair",
        "",
        "question 1",
        "  row 1.0  1.00",
        "  row 1.1  1.00",
        "  sentence 1.0",
        "  sentence 1.1",
        "",
        "Doubts     none",
        f"Look       {LOOK}",
    ]


def test_rows_are_shared_by_the_questions_and_what_is_left_out_is_counted() -> None:
    shown = text_of(asking(numbered(1, 3, 2), numbered(2, 40)), height=20)
    assert "row 1.2" in shown
    assert "row 2.2" in shown
    assert "  … 37 more" in shown


def test_a_second_sentence_comes_after_two_rows_and_before_the_others() -> None:
    shown = text_of(asking(numbered(1, 9, 2)), height=13)
    assert "sentence 1.1" in shown
    assert "row 1.1" in shown
    assert "row 1.8" not in shown


def test_a_small_table_comes_whole_before_a_second_sentence() -> None:
    shown = text_of(asking(numbered(1, 5, 9)), height=15)
    assert "row 1.4" in shown
    assert "sentence 1.1" in shown
    assert "sentence 1.2" not in shown


def test_columns_have_their_names_and_a_sentence_that_repeats_the_rows_is_left_out() -> None:
    whole = replace(numbered(1, 3, 2), heading=("lower is better", "ratio"), in_rows=True)
    shown = text_of(asking(whole)).splitlines()
    assert shown[5:10] == [
        "  lower is better  ratio",
        "  row 1.0          1.00",
        "  row 1.1          1.00",
        "  row 1.2          1.00",
        "  sentence 1.1",
    ]
    large = replace(numbered(1, 40, 1), heading=("lower is better", "ratio"), in_rows=True)
    assert "sentence 1.0" in text_of(asking(large))


def test_every_question_has_its_answer_before_any_has_a_row() -> None:
    shown = text_of(asking(*(numbered(each, 5) for each in range(5))), height=21)
    assert all(f"sentence {each}.0" in shown for each in range(5))
    assert "row" not in shown


def test_questions_without_room_are_counted() -> None:
    shown = text_of(asking(*(numbered(each, 1) for each in range(9))))
    assert "question 3" in shown
    assert "more questions: the page and the tables contain the answers" in shown
    assert len(shown.splitlines()) <= HEIGHT


def test_names_give_way_to_figures_and_keep_their_ends() -> None:
    row = ("a-very-long-name-of-a-service-or-variant", "p99 2.90 ms", "meets it")
    one = Question("q", ("s",), (row,), "answered", ())
    (line,) = [each for each in text_of(asking(one), width=50).splitlines() if "p99" in each]
    assert line.endswith("p99 2.90 ms  meets it")
    assert line.startswith("  a-very-long-")
    assert "…" in line
    assert "variant " in line
    assert len(line) == 50


def test_a_row_that_is_too_wide_goes_on_beneath_its_second_column() -> None:
    rows = (
        ("fastapi", "p99 1.10 ms to 2.90 ms", "meets it", "0.57 ms CPU per request", "flagged"),
        ("a-go-service", "p99 ≤ 0.48 ms", "meets it", "0.20 ms CPU per request"),
        ("axum", "failed to build: no such package in the registry, or the network is gone"),
    )
    one = Question("q", ("s",), rows, "answered", ())
    shown = text_of(asking(one), width=60).splitlines()
    assert shown[5:12] == [
        "  fastapi       p99 1.10 ms to 2.90 ms  meets it",
        "                0.57 ms CPU per request  flagged",
        "  a-go-service  p99 ≤ 0.48 ms           meets it",
        "                0.20 ms CPU per request",
        "  axum          failed to build: no such package in the",
        "                registry, or the network is gone",
        "  s",
    ]


def shown_rows(*rows: tuple[str, ...], width: int = WIDTH) -> list[str]:
    one = Question("q", ("s",), rows, "answered", ())
    return text_of(asking(one), width=width).splitlines()[5:]


def test_a_doubt_about_all_rows_is_said_once() -> None:
    go, java = ("go", "1 ms", "flagged: not steady"), ("java", "2 ms", "flagged: not steady")
    absent = ("rust", "not installed")
    assert shown_rows(go, java, absent)[:4] == [
        "  go    1 ms",
        "  java  2 ms",
        "  rust  not installed",
        "  All flagged: not steady.",
    ]
    other = ("java", "2 ms", "flagged: few requests")
    assert shown_rows(go, other)[:2] == [
        "  go    1 ms  flagged: not steady",
        "  java  2 ms  flagged: few requests",
    ]
    assert shown_rows(go, absent)[0] == "  go    1 ms  flagged: not steady"


def test_the_reason_of_a_doubt_gives_way_to_the_width() -> None:
    go, java = ("go", "1.00 ms", "flagged: not steady"), ("java", "2.00 ms")
    assert shown_rows(go, java, width=40)[0] == "  go    1.00 ms  flagged: not steady"
    assert shown_rows(go, java, width=30)[0] == "  go    1.00 ms  flagged"


MANY_CLAUSES = (
    "go, java and node: others took 20.0% of the processors' time, in all of the six executions: "
    + "its caches were theirs " * 5
)
ONE_CLAUSE = f"go: the generator: {'595 of 597 requests were sent ' * 9}"
DOUBTFUL = Conclusion((), (), (MANY_CLAUSES, ONE_CLAUSE), "fair", "answered")


def test_a_doubt_takes_two_lines_without_its_last_clause() -> None:
    *_, first, second, third, fourth, _ = short_form(DOUBTFUL, LOOK)
    assert f"{first} {second.strip()}" == f"Doubts     {MANY_CLAUSES.partition(': its')[0]} …"
    assert f"{third.strip()} {fourth.strip()}".removesuffix("…") in ONE_CLAUSE
    assert fourth.endswith("…")


def test_a_doubt_takes_one_line_if_there_is_no_room() -> None:
    _, first, second, _ = short_form(DOUBTFUL, LOOK, height=4)
    assert first == f"Doubts     {MANY_CLAUSES.partition(', in all')[0]} …"
    assert second == f"{'':11}{ONE_CLAUSE[:68]}…"


def test_the_first_doubt_takes_the_line_that_is_left() -> None:
    _, first, second, third, _ = short_form(DOUBTFUL, LOOK, height=5)
    assert f"{first} {second.strip()}" == f"Doubts     {MANY_CLAUSES.partition(': its')[0]} …"
    assert third == f"{'':11}{ONE_CLAUSE[:68]}…"


def test_a_doubt_is_never_cut_down_to_its_names() -> None:
    names = "gcc, gcc (pool), erlang and 13 more"
    doubt = f"{names}: it is unknown whether 2 of 6 executions became steady: there are too few"
    _, line, _ = short_form(replace(DOUBTFUL, doubts=(doubt,)), LOOK, height=3)
    assert line == f"Doubts     {doubt[:68]}…"
    few = f"{names}: 2 executions; a fair result needs 6 executions (gcc)"
    _, line, _ = short_form(replace(DOUBTFUL, doubts=(few,)), LOOK, height=3)
    assert line == f"Doubts     {few[:68]}…"


def test_wide_letters_take_two_columns() -> None:
    row = ("名" * 50, "1.00")
    one = Question("q", ("s",), (row,), "answered", ())
    (line,) = [each for each in text_of(asking(one)).splitlines() if "名" in each]
    assert sum(1 + (each == "名") for each in line) <= WIDTH
