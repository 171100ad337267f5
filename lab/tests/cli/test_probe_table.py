"""The table of a probed runtime in the terminal."""

from __future__ import annotations

import pytest

from runfair.cli.probe_table import print_table
from runfair.formats.probe import BytecodeCost, CountedPair, FunctionShare, ProbeTable

SPECIALISED = BytecodeCost(name="BINARY_SUBSCR_LIST_INT", family="BINARY_SUBSCR", executions=8)
TABLE = ProbeTable(
    runtime="cpython",
    version="3.13.0",
    processes=[],
    cpu_ns=10_000_000_000,
    executions=8,
    bytecodes=[SPECIALISED],
)


def printed(capsys: pytest.CaptureFixture[str], wanted: list[str], **fields: object) -> str:
    print_table(TABLE.model_copy(update=fields), wanted, 20)
    return " ".join(capsys.readouterr().out.split())


def test_the_reason_for_missing_times_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    words = printed(capsys, [], samples=3, no_times="only 0.3% of the CPU time was sampled")
    assert "no times per execution, because only 0.3% of the CPU time was sampled." in words


def test_the_reason_for_missing_lines_is_the_probes_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = printed(capsys, [], samples=3, no_lines="the probe does not know CPython 3.15")
    assert "The source lines are unknown, because the probe does not know CPython 3.15." in words
    assert "unknown" not in printed(capsys, [], samples=3)


@pytest.mark.parametrize("lost", [0, 1])
def test_a_process_without_samples_did_not_necessarily_end(
    lost: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words = printed(capsys, [], sampled_by="task clock", lost_samples=lost)
    assert "ended before the first sample, blocked all signals, or closed the probe" in words
    words = printed(capsys, [], sampled_by="CPU timer", lost_samples=1)
    assert "neither perf_event_open nor timer_create is allowed" in words


@pytest.mark.parametrize("compiles", [True, False])
def test_the_hottest_functions_are_also_compiled_ones(
    compiles: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    functions = [FunctionShare(path="/app.js", function="handle", share=0.6)]
    words = printed(
        capsys, [], runtime="hotspot", compiles=compiles, samples=3, functions=functions
    )
    assert ("60.0% handle in /app.js" in words) is compiles


def test_pairs_of_a_family_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [
        CountedPair(first="LOAD_FAST", second="BINARY_SUBSCR_LIST_INT", executions=5),
        CountedPair(first="LOAD_FAST", second="LOAD_FAST", executions=4),
    ]
    words = printed(capsys, ["BINARY_SUBSCR"], pairs=pairs)
    assert "LOAD_FAST → BINARY_SUBSCR_LIST_INT 5" in words
    assert "LOAD_FAST → LOAD_FAST" not in words
