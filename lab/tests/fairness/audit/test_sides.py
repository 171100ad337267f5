"""Results beside one another, and what can be said from each."""

from __future__ import annotations

from fairness.audit.test_judges import benchmark, latencies, load
from formats.foreign.sample import results
from runfair.fairness.audit import Read, audit
from runfair.formats.foreign.result import ForeignResult, Percentile


def compared(*read: ForeignResult) -> dict[str, tuple[str, str]]:
    done = audit([Read(f"file{place}", each) for place, each in enumerate(read)])
    (comparison,) = done.comparisons
    return {each.mistake: (each.status, each.evidence) for each in comparison.judgements}


def test_loads_of_unequal_connections() -> None:
    found = compared(*results("wrk.txt"), *results("wrk-errors.txt"))
    status, evidence = found["unequal_conditions"]
    assert status == "established"
    assert "connections: 8 and 4" in evidence
    assert found["unequal_builds"][0] == "cannot be established"


def test_loads_made_alike() -> None:
    found = compared(*results("wrk.txt"), *results("wrk.txt"))
    assert found["unequal_conditions"][0] == "excluded"
    assert found["unequal_builds"][0] == "cannot be established"


def test_what_one_side_does_not_tell_is_not_the_same() -> None:
    found = compared(load(conditions={"connections": "8"}), load(conditions={}))
    assert found["unequal_conditions"] == (
        "cannot be established",
        "some of the compared results do not report connections, which may therefore differ",
    )


def test_builds_that_differ() -> None:
    found = compared(
        benchmark(build={"vm": "17", "options": ""}), benchmark(build={"vm": "21", "options": ""})
    )
    assert found["unequal_builds"] == ("established", "vm: 17 and 21")


def test_the_command_line_itself_is_no_condition() -> None:
    found = compared(
        load(conditions={"connections": "8", "command": "a"}),
        load(conditions={"connections": "8", "command": "b"}),
    )
    assert found["unequal_conditions"][0] == "excluded"


def test_results_of_one_document_are_not_laid_beside_one_another() -> None:
    done = audit([Read("jmh.json", each) for each in results("jmh.json")])
    assert len(done.results) == 2
    assert done.comparisons == ()


def test_different_tools_are_not_laid_beside_one_another() -> None:
    done = audit([Read("a", results("wrk.txt")[0]), Read("b", results("vegeta.json")[0])])
    assert done.comparisons == ()


def said(result: ForeignResult) -> tuple[tuple[str, ...], tuple[str, ...]]:
    (one,) = audit([Read("file", result)]).results
    return one.can_be_said, one.cannot_be_said


def test_a_closed_loop_tells_no_percentile() -> None:
    can, cannot = said(results("wrk.txt")[0])
    assert can == ("the throughput at 8 connections on the machine that was measured",)
    assert "any percentile" in cannot


def test_an_open_load_tells_percentiles_as_far_as_its_count_goes() -> None:
    shares = (
        Percentile(share=0.5, value_ns=1.2e6),
        Percentile(share=0.99, value_ns=6e7),
        Percentile(share=0.9999, value_ns=9e7),
    )
    can, cannot = said(load(latencies=latencies(percentiles=shares, counted=20_000)))
    assert "percentiles up to p99 at 2,000/s, for this single execution" in can
    assert "any percentile above p99" in cannot
    can, cannot = said(load(latencies=latencies(percentiles=shares, counted=40_000)))
    assert "percentiles up to p99.99 at 2,000/s, for this single execution" in can
    assert not any("percentile" in each for each in cannot)


def test_no_benchmark_tells_anything_of_a_service() -> None:
    for name in ("jmh.json", "hyperfine.json", "criterion.txt"):
        _, cannot = said(results(name)[0])
        assert "anything about a service under load" in cannot


def test_a_spectrum_by_itself_tells_nothing() -> None:
    can, cannot = said(results("spectrum.hgrm")[0])
    assert can == ()
    assert "any percentile" in cannot
