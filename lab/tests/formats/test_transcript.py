"""What programs say is kept whatever it is, and believed only where it is of the contract."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runfair.formats.distribution import Distribution
from runfair.formats.transcript import MAX_LINE_BYTES, ContractBroken, Transcript

START = {
    "event": "start",
    "contract": 2,
    "benchmark": "sort",
    "language": "c++",
    "tier": "standard",
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


def operations(swaps: int, name: str = "swaps") -> dict[str, object]:
    return {"event": "operations", "counters": {name: swaps}}


def sample() -> dict[str, object]:
    """A line of contract 1."""
    return {"event": "sample", "name": "lateness", "unit": "ns", "values": [1, 2.5]}


def end(iterations: int) -> dict[str, object]:
    return {"event": "end", "iterations": iterations}


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


END_LINES: list[dict[str, object]] = [
    end(2),
    {"event": "operations", "counters": {"swaps": 7}},
    {"event": "ready", "host": "127.0.0.1", "port": 80},
]

GOOD = lines(START, iteration(0), iteration(1), end(2))


def sampled(index: int, **samples: list[int]) -> dict[str, object]:
    return {**iteration(index), "samples": samples}


def declared(*names: str, single: bool = False) -> dict[str, Distribution]:
    one = Distribution(about="", unit="ns", percentiles=["p50"], single=single)
    return dict.fromkeys(names, one)


def broken_by(data: bytes, *distributions: str, single: bool = False) -> str:
    transcript = Transcript(declared(*distributions, single=single))
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


def test_operations_behind_each_iteration_and_ready_are_kept() -> None:
    transcript = Transcript()
    ready = {"event": "ready", "host": "127.0.0.1", "port": 80}
    counted = [iteration(0), operations(7), iteration(1), operations(7), iteration(2)]
    transcript.feed(lines(START, ready, *counted, operations(7), end(3)))
    transcript.finish()
    assert transcript.operations == {"swaps": 7}
    assert transcript.iterations == 3
    assert transcript.ready is not None


def test_an_iteration_that_counts_less_remembers_an_answer() -> None:
    said = broken_by(lines(START, iteration(0), operations(7), iteration(1), operations(0)))
    assert said == (
        "iteration 1 counted {'swaps': 0}, but an earlier iteration counted {'swaps': 7}; each "
        "iteration must do the same work"
    )


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "printed no `start` line"),
        (b"hello world\n", "does not follow the contract"),
        (b"{}\n", "does not follow the contract"),
        (b"\xff\xfe\x00binary\n", "does not follow the contract"),
        (lines(START), "no `end` line"),
        (GOOD[:-5], "the last line that the program printed does not end with a line feed"),
        (lines(START, START), "second `start`"),
        (lines(iteration(0)), "before `start`"),
        (lines(START, iteration(1)), "printed iteration 1, but iteration 0"),
        (lines(START, iteration(0), iteration(1, "f" * 16), end(2)), "gave the digest"),
        (lines(START, iteration(0), end(2)), "states 2 iterations"),
        (lines(START, end(0), iteration(0)), "after `end`"),
        (
            lines({**START, "contract": 1}),
            "the program follows version 1 of the program contract, but this version of runfair "
            "needs version 2; adapt the program to benchmarks/contract.md",
        ),
        (lines({**START, "contract": 3}), "contract"),
        (lines(START, sample()), "does not follow the contract"),
        (lines(START, operations(7), operations(8)), "an earlier iteration counted {'swaps': 7}"),
        (lines(START, {**operations(7), "counters": {"swaps": -1}}), "swaps"),
        (lines(START, {**operations(7), "counters": {"swaps": 1 << 63}}), "swaps"),
        (lines(START, end(0), operations(7)), "`operations` after `end`"),
        (lines(operations(7)), "`operations` before `start`"),
        (lines({**START, "cpu_clock_resolution_ns": 0}), "cpu_clock_resolution_ns"),
        (lines({**START, "surplus": 1}), "surplus"),
        (lines(START, {**iteration(0), "wall_ns": -1}), "wall_ns"),
        (lines(START, {**iteration(0), "wall_ns": 1.5}), "wall_ns"),
        (lines(START, {**iteration(0), "digest": "xyz"}), "digest"),
        (
            lines(START, operations(7, "n" * MAX_LINE_BYTES)),
            "bytes of text besides its `iteration` lines",
        ),
        (b"x" * (MAX_LINE_BYTES + 1), "a line of more than"),
    ],
)
def test_what_is_not_of_the_contract_is_named(data: bytes, said: str) -> None:
    assert said in broken_by(data)


def test_a_flood_of_other_lines_is_ended() -> None:
    ready = {"event": "ready", "host": "127.0.0.1" * 100, "port": 80}
    assert "besides its `iteration` lines" in broken_by(lines(START, *[ready] * 1200))


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


def test_samples_of_declared_distributions_are_kept() -> None:
    transcript = Transcript(declared("lateness"))
    transcript.feed(
        lines(START, sampled(0, lateness=[3, 1, 5, 2]), sampled(1, lateness=[]), end(2))
    )
    transcript.finish()
    assert transcript.samples == [{"lateness": [3, 1, 5, 2]}, {"lateness": []}]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            sampled(0, hops=[]),
            "iteration 0 contains samples of 'hops', but the benchmark's benchmark.toml does not "
            "declare this distribution; add [distributions.hops] to benchmark.toml, or do not "
            "record the samples",
        ),
        (iteration(0), "iteration 0 has no samples of lateness"),
        (
            sampled(0, lateness=[3]),
            "iteration 0, samples of lateness: the list ends with a histogram cell that has no "
            "count",
        ),
        (sampled(0, lateness=[5, 1, 3, 1]), "numbers of the histogram cells must increase"),
        (sampled(0, lateness=[-1, 1]), "samples.lateness.0"),
    ],
)
def test_samples_that_are_none_break_the_contract(line: object, problem: str) -> None:
    assert problem in broken_by(lines(START, line), "lateness")


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ([3, 1], None),
        ([3, 2], "iteration 0 has 2 samples of hops"),
        ([3, 1, 4, 1], "iteration 0 has 2 samples of hops"),
        ([], "iteration 0 has 0 samples of hops"),
    ],
)
def test_a_single_distribution_has_one_sample_an_iteration(
    cells: list[int], problem: str | None
) -> None:
    told = lines(START, sampled(0, hops=cells), end(1))
    if problem is None:
        transcript = Transcript(declared("hops", single=True))
        transcript.feed(told)
        transcript.finish()
        assert transcript.samples == [{"hops": cells}]
    else:
        assert problem in broken_by(told, "hops", single=True)
