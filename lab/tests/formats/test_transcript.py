"""What programs say is kept whatever it is, and believed only where it is of the contract."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.transcript import MAX_LINE_BYTES, ContractBroken, Transcript

START = {
    "event": "start",
    "contract": 1,
    "benchmark": "sort",
    "language": "c++",
    "tier": "standard",
    "workload": "classic",
    "size": "tiny",
    "seed": 1,
    "runtime": "gcc 12.2.0",
    "threads": 1,
    "processors": 1,
    "monotonic_ns": 5,
    "realtime_ns": 6,
    "cpu_clock_resolution_ns": 1,
    "effective": {"optimisation": "O3", "pgo": False},
}


def iteration(index: int, digest: str = "0" * 16) -> dict[str, object]:
    return {
        "event": "iteration",
        "index": index,
        "started_monotonic_ns": 10 + index,
        "wall_ns": 100 + index,
        "cpu_ns": 90 + index,
        "digest": digest,
    }


def told(**changes: object) -> dict[str, object]:
    """Figures for two lines of a source file."""
    values = {"3": 7, "12": 2.5}
    usual = {"path": "a/b.py", "name": "executions", "unit": "", "values": values}
    return {"event": "lines", **usual, **changes}


def end(iterations: int) -> dict[str, object]:
    return {"event": "end", "iterations": iterations}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


END_LINES: list[dict[str, object]] = [
    end(2),
    {"event": "operations", "counters": {"swaps": 7}},
    {"event": "sample", "name": "lateness", "unit": "ns", "values": [1, 2.5]},
    {"event": "ready", "host": "127.0.0.1", "port": 80},
]

GOOD = lines(START, iteration(0), iteration(1), end(2))


def broken_by(data: bytes) -> str:
    transcript = Transcript()
    with pytest.raises(ContractBroken) as caught:
        transcript.feed(data)
        transcript.finish()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_whole_conversation() -> None:
    transcript = Transcript()
    transcript.feed(GOOD)
    transcript.finish()
    assert transcript.start is not None
    assert transcript.start.runtime == "gcc 12.2.0"
    assert list(transcript.wall_ns) == [100, 101]
    assert list(transcript.cpu_ns) == [90, 91]
    assert transcript.digest == "0" * 16


@given(st.lists(st.integers(1, 40)))
def test_lines_may_be_cut_anywhere(lengths: list[int]) -> None:
    transcript, whole, rest = Transcript(), Transcript(), GOOD
    for length in lengths:
        transcript.feed(rest[:length])
        rest = rest[length:]
    transcript.feed(rest)
    whole.feed(GOOD)
    assert transcript.wall_ns == whole.wall_ns
    assert transcript.take() == whole.take()
    transcript.finish()


def test_operations_samples_lines_and_ready_are_kept() -> None:
    transcript = Transcript()
    transcript.feed(
        lines(
            START,
            iteration(0),
            {"event": "operations", "counters": {"swaps": 7}},
            {"event": "sample", "name": "lateness", "unit": "ns", "values": [1, 2.5]},
            told(),
            told(name="bytes"),
            told(path="b.py"),
            {"event": "ready", "host": "127.0.0.1", "port": 80},
            end(1),
        )
    )
    transcript.finish()
    assert [(one.path, one.name) for one in transcript.lines] == [
        ("a/b.py", "executions"),
        ("a/b.py", "bytes"),
        ("b.py", "executions"),
    ]
    assert transcript.lines[0].values == {3: 7, 12: 2.5}
    assert transcript.operations == {"swaps": 7}
    assert transcript.samples[0].values == [1, 2.5]
    assert transcript.ready is not None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "printed nothing of the contract"),
        (b"hello world\n", "not of the contract"),
        (b"{}\n", "not of the contract"),
        (b"\xff\xfe\x00binary\n", "not of the contract"),
        (lines(START), "no `end` line"),
        (GOOD[:-5], "cut short"),
        (lines(START, START), "second `start`"),
        (lines(iteration(0)), "before `start`"),
        (lines(START, iteration(1)), "iteration 1 where 0"),
        (lines(START, iteration(0), iteration(1, "f" * 16), end(2)), "gave digest"),
        (lines(START, iteration(0), end(2)), "says 2 iterations"),
        (lines(START, end(0), iteration(0)), "after `end`"),
        (lines({**START, "contract": 2}), "contract"),
        (lines({**START, "cpu_clock_resolution_ns": 0}), "cpu_clock_resolution_ns"),
        (lines({**START, "surplus": 1}), "surplus"),
        (lines(START, {**iteration(0), "wall_ns": -1}), "wall_ns"),
        (lines(START, {**iteration(0), "wall_ns": 1.5}), "wall_ns"),
        (lines(START, {**iteration(0), "digest": "xyz"}), "digest"),
        (lines(START, told(values={"0": 1})), "lines.values.0"),
        (lines(START, told(values={"-1": 1})), "lines.values.-1"),
        (lines(START, told(values={"one": 1})), "lines.values.one"),
        (lines(START, told(values={"1": float("nan")})), "finite number"),
        (lines(START, told(values={"1": float("inf")})), "finite number"),
        (lines(START, told(values={"1": "<b>"})), "valid number"),
        (lines(START, told(values={})), "lines.values"),
        (lines(START, told(path="")), "lines.path"),
        (lines(START, told(path="a\x00b")), "lines.path"),
        (lines(START, told(path="a\nb")), "lines.path"),
        (lines(START, told(path="x" * 501)), "lines.path"),
        (lines(START, told(), told()), "second `lines` of 'a/b.py', 'executions'"),
        (lines(told()), "`lines` before `start`"),
        (lines(START, end(0), told()), "`lines` after `end`"),
        (lines(START, told(name="n" * MAX_LINE_BYTES)), "bytes besides iterations"),
        (b"x" * (MAX_LINE_BYTES + 1), "a line of over"),
    ],
)
def test_what_is_not_of_the_contract_is_named(data: bytes, said: str) -> None:
    assert said in broken_by(data)


def test_a_flood_of_other_lines_is_ended() -> None:
    sample = {"event": "sample", "name": "n", "unit": "u", "values": [0.0] * 1000}
    assert "besides iterations" in broken_by(lines(START, *[sample] * 300))


@given(st.binary(max_size=400))
def test_any_bytes_are_kept_verbatim(noise: bytes) -> None:
    """Fuzzing: nothing but ContractBroken is ever raised, and nothing is lost."""
    transcript = Transcript()
    data = lines(START, iteration(0)) + noise
    try:
        transcript.feed(data)
        transcript.finish()
    except ContractBroken:
        transcript.abandon()
    iterations, other = transcript.take()
    assert sorted((iterations + other).replace(b"\n", b"")) == sorted(data.replace(b"\n", b""))


def test_what_follows_a_broken_line_is_kept_unparsed() -> None:
    transcript = Transcript()
    with pytest.raises(ContractBroken):
        transcript.feed(b"junk\n" + GOOD)
    assert transcript.take()[1] == b"junk\n" + GOOD
