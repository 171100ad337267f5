"""Results are found in whatever stands around them, and damage is never more than a loss."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.foreign.sample import INTERVAL_LOG, NAMES, results, text
from runfair.formats.foreign import recognise
from runfair.formats.foreign.result import ForeignResult

TEXTS = [text(name) for name in NAMES] + [INTERVAL_LOG.read_text(encoding="utf-8")]
PASTE = """We compared both servers:

$ wrk -t2 -c8 -d2s --latency http://127.0.0.1:18080/
{wrk}
and the JSON of vegeta was {{not}} worse:
{vegeta}

Then the benchmark
{go}
shows it as well. Requests/sec: lots; 99% were content.
"""


def key(found: ForeignResult) -> tuple[object, ...]:
    return found.tool, found.name, found.requests, found.errors, found.latencies


def test_a_paste_of_several_tools() -> None:
    paste = PASTE.format(wrk=text("wrk.txt"), vegeta=text("vegeta.json"), go=text("go-bench.txt"))
    found = recognise(paste)
    assert [each.tool for each in found] == ["wrk", "vegeta", "go test", "go test"]
    assert [each.line for each in found] == sorted(each.line for each in found)
    assert paste.splitlines()[found[0].line - 1].startswith("Running 2s test")
    assert key(found[0]) == key(results("wrk.txt")[0])


def test_two_results_of_one_tool_do_not_run_into_each_other() -> None:
    found = recognise(text("wrk-errors.txt") + text("wrk.txt"))
    assert [each.errors for each in found] == [387, 0]
    assert found[0].latencies.percentiles == ()


@pytest.mark.parametrize("name", NAMES)
def test_line_ends_and_indentation_change_nothing(name: str) -> None:
    plain = [key(each) for each in results(name)]
    assert [key(each) for each in recognise("\r\n".join(text(name).splitlines()))] == plain
    around = f"before\n\n{text(name)}\n\nafter\n"
    if name != "gatling-3.13.log":
        assert [key(each) for each in recognise(around)] == plain


@pytest.mark.parametrize(
    "prose",
    [
        "",
        "wrk says 99% of requests took 2ms, at 1000 requests/sec",
        "# Benchmarks\n\nBenchmark results: 100 ns/op\n{}\n[]\n[1, 2]\n",
        '{"results": [], "metrics": {"http_req_duration": 3}, "latency": []}',
        '{"benchmarks": [{"runs": [{"values": "many"}]}], "context": []}',
        "\0\0\0\x063.13.5",
    ],
)
def test_prose_holds_no_result(prose: str) -> None:
    assert recognise(prose) == ()


def check(damaged: str) -> None:
    """Nothing is raised, and what is found is a whole record."""
    for each in recognise(damaged):
        ForeignResult.model_validate_json(each.model_dump_json())
        assert all(0 <= one.share <= 1 for one in each.latencies.percentiles)
        assert each.latencies.mean_ns is None or each.latencies.mean_ns >= 0


@settings(max_examples=150)
@given(st.sampled_from(TEXTS), st.floats(0, 1), st.floats(0, 1))
def test_cut_anywhere(whole: str, start: float, end: float) -> None:
    check(whole[: int(end * len(whole))])
    check(whole[int(start * len(whole)) :])


@settings(max_examples=250)
@given(st.sampled_from(TEXTS), st.integers(0, 2**32), st.integers(1, 40))
def test_changed_anywhere(whole: str, seed: int, changes: int) -> None:
    chosen = random.Random(seed)
    letters = list(whole)
    pieces = ["", "\0", "9" * 400, "-1", "1e999", "NaN", "null", "[", "}", '"', "µ", "٣", "\n", "%"]
    for _ in range(changes):
        if letters:
            letters[chosen.randrange(len(letters))] = chosen.choice(pieces)
    check("".join(letters))


@settings(max_examples=150)
@given(st.sampled_from(TEXTS), st.integers(0, 2**32))
def test_lines_shuffled_among_tools(whole: str, seed: int) -> None:
    chosen = random.Random(seed)
    lines = whole.splitlines() + chosen.choice(TEXTS).splitlines()
    chosen.shuffle(lines)
    check("\n".join(lines[:400]))


@settings(max_examples=200)
@given(st.text(max_size=400))
def test_any_text(anything: str) -> None:
    check(anything)


def test_what_is_cut_off_is_given_in_part() -> None:
    whole = text("wrk.txt")
    (found,) = recognise(whole[: whole.index("152330 requests")])
    assert found.connections == 8
    assert found.requests is None
    assert found.errors is None, "that there were none, only a whole output tells"
