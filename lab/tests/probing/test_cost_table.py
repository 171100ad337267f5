"""Shares and times of bytecodes, from what processes counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from runfair.errors import UserMistake
from runfair.formats.estimate import Estimate
from runfair.formats.probe import (
    Calibration,
    Call,
    CountedBytecode,
    CountedPair,
    Cycle,
    MeasuredBytecode,
    ProbedProcess,
    SampledPlace,
    Sampling,
)
from runfair.probing.cost_table import cost_tables
from runfair.probing.probed_command import result_of


def place(bytecode: str | None, line: int | None, samples: int) -> SampledPlace:
    return SampledPlace(
        bytecode=bytecode,
        path="/a.py" if line else "",
        function="f" if line else "",
        line=line,
        column=None,
        end_column=None,
        samples=samples,
    )


def process(
    pid: int,
    counts: dict[str, int],
    places: list[SampledPlace],
    version: str = "3.13.0",
    source: str = "CPU timer",
) -> ProbedProcess:
    return ProbedProcess(
        runtime="cpython",
        version=version,
        executable="/usr/bin/python3",
        pid=pid,
        mode="mark",
        cpu_ns=1_000_000,
        bytecodes=[
            CountedBytecode(name=name, family=name.removesuffix("_INT"), executions=count)
            for name, count in counts.items()
        ],
        sampling=Sampling(source=source, period_ns=1000, lost=1, places=places),
    )


def refused(reason: str) -> ProbedProcess:
    return ProbedProcess(
        runtime="pypy", version="3.9", executable="pypy3", pid=9, mode="mark", refused=reason
    )


def test_times_add_up_to_the_cpu_time() -> None:
    processes = [
        process(1, {"ADD_INT": 100, "LOAD": 300}, [place("ADD_INT", 1, 40), place("LOAD", 2, 40)]),
        process(2, {"ADD_INT": 100}, [place("ADD_INT", 3, 100), place(None, None, 20)]),
    ]
    (table,) = cost_tables(processes)
    assert (table.cpu_ns, table.executions, table.samples) == (2_000_000, 500, 200)
    assert table.lost_samples == 2
    assert [cost.name for cost in table.bytecodes] == ["ADD_INT", "LOAD"]
    add, load = table.bytecodes
    assert add.share is not None and add.ns_each is not None and load.ns_each is not None
    assert add.family == "ADD"
    assert add.share.value == pytest.approx(0.7)
    assert add.share.low < 0.7 < add.share.high
    assert add.ns_each.value == pytest.approx(0.7 * 2_000_000 / 200)
    assert load.ns_each.low < load.ns_each.value < load.ns_each.high
    assert table.outside is not None
    known = add.ns_each.value * add.executions + load.ns_each.value * load.executions
    assert known + table.outside.value * table.cpu_ns == pytest.approx(table.cpu_ns)


def test_the_time_of_the_sampler_and_of_the_probe_is_left_out() -> None:
    one = process(1, {"A": 10}, [place("A", 1, 90), place(None, None, 10)], source="task clock")
    calibration = Calibration(mean_ns=500, deviation_ns=30)
    update = {"calibration": calibration, "cpu_ns": 110_000}
    (table,) = cost_tables([one.model_copy(update=update)])
    (cost,) = table.bytecodes
    assert cost.share is not None and cost.ns_each is not None
    assert table.no_times == ""
    # 100 samples of 1,000 ns: the rest of the CPU time was the sampler's.
    assert cost.ns_each.value == pytest.approx(0.9 * 100_000 / 10 - 500)
    of_share_ns = (cost.share.high - cost.share.value) * 100_000 / 10
    assert cost.ns_each.high - cost.ns_each.value == pytest.approx(
        (of_share_ns**2 + (1.96 * 30) ** 2) ** 0.5, rel=1e-3
    )


def test_a_copied_bytecode_has_the_smaller_cost_of_a_copy() -> None:
    places = [place("A", 1, 50), place("B", 2, 50)]
    one = process(1, {"A": 10, "B": 10}, places, source="task clock")
    copied = [each.model_copy(update={"copied": each.name == "A"}) for each in one.bytecodes]
    update = {
        "cpu_ns": 110_000,
        "bytecodes": copied,
        "calibration": Calibration(mean_ns=500, deviation_ns=30),
        "copy_calibration": Calibration(mean_ns=200, deviation_ns=10),
    }
    (table,) = cost_tables([one.model_copy(update=update)])
    costs = {cost.name: cost.ns_each for cost in table.bytecodes}
    assert costs["A"] is not None and costs["B"] is not None
    assert costs["A"].value - costs["B"].value == pytest.approx(500 - 200)
    assert table.probe_ns is not None and table.copied_ns is not None
    (table,) = cost_tables([one.model_copy(update={**update, "bytecodes": one.bytecodes})])
    assert table.copied_ns is None


def test_no_latency_is_negative() -> None:
    """The fences may have taken longer when they were measured alone."""
    rows = [
        MeasuredBytecode(
            bytecode=name,
            count=100,
            sum=100 * ns,
            sum_of_squares=100 * ns**2,
            nested=0,
            interrupted=0,
        )
        for name, ns in (("A", 30.0), ("B", 42.0))
    ]
    calibration = Calibration(mean_ns=40, deviation_ns=1)
    update = {"mode": "latency", "measured": rows, "calibration": calibration, "sampling": None}
    one = process(1, {"A": 100, "B": 100}, [])
    (table,) = cost_tables([one.model_copy(update=update)])
    below, above = (cost.latency_ns for cost in sorted(table.bytecodes, key=lambda cost: cost.name))
    assert below == Estimate(value=0, low=0, high=0)
    assert above is not None and above.value == pytest.approx(2)
    assert above.low == pytest.approx(2 - 1.96, rel=0.01)


def test_cycles_have_the_error_of_the_time_and_of_the_cycle() -> None:
    one = process(1, {"A": 10}, [place("A", 1, 100)])
    cycle = Cycle(mean_ns=0.25, deviation_ns=0.01)
    (table,) = cost_tables([one.model_copy(update={"cycle": cycle})])
    (cost,) = table.bytecodes
    assert cost.ns_each is not None and cost.cycles_each is not None
    assert cost.cycles_each.value == pytest.approx(cost.ns_each.value / 0.25)
    of_cycle = cost.cycles_each.value * 1.96 * 0.01 / 0.25
    of_time = (cost.ns_each.value - cost.ns_each.low) / 0.25
    assert cost.cycles_each.value - cost.cycles_each.low == pytest.approx(
        (of_time**2 + of_cycle**2) ** 0.5, rel=1e-3
    )


def test_counted_cycles_do_not_depend_on_the_duration_of_a_cycle() -> None:
    one = process(1, {"A": 10}, [place("A", 1, 90), place(None, None, 10)])
    assert one.sampling is not None
    sampling = one.sampling.model_copy(update={"period_cycles": 3_000})
    for cycle in (Cycle(mean_ns=0.25, deviation_ns=0.01), Cycle(mean_ns=0.5, deviation_ns=0.2)):
        update = {"sampling": sampling, "cycle": cycle, "cpu_ns": 80_000}
        (table,) = cost_tables([one.model_copy(update=update)])
        (cost,) = table.bytecodes
        assert cost.share is not None and cost.cycles_each is not None
        assert cost.cycles_each.value == pytest.approx(0.9 * 100 * 3_000 / 10)
        of_share = (cost.share.value - cost.share.low) * 100 * 3_000 / 10
        assert cost.cycles_each.value - cost.cycles_each.low == pytest.approx(of_share, rel=1e-3)


def test_a_process_that_was_sampled_for_a_part_of_its_time_has_no_times() -> None:
    one = process(1, {"A": 10}, [place("A", 1, 12)], source="task clock")
    (table,) = cost_tables([one])
    (cost,) = table.bytecodes
    assert cost.share is not None and cost.share.value == 1
    assert (cost.ns_each, cost.cycles_each) == (None, None)
    assert table.no_times.startswith("only 1.2% of the CPU time was sampled; a program")


def test_the_last_period_of_a_process_need_not_have_a_sample() -> None:
    one = process(1, {"A": 10}, [place("A", 1, 1)], source="task clock")
    (table,) = cost_tables([one.model_copy(update={"cpu_ns": 1_900})])
    assert table.no_times == "" and table.bytecodes[0].ns_each is not None


@pytest.mark.parametrize(("samples", "timed"), [(28, True), (10, False)])
def test_short_threads_have_fewer_samples_by_chance(samples: int, *, timed: bool) -> None:
    """Of 50 expected samples, with a standard deviation of up to 7."""
    one = process(1, {"A": 10}, [place("A", 1, samples)], source="task clock")
    (table,) = cost_tables([one.model_copy(update={"cpu_ns": 50_000})])
    assert (table.no_times == "") is timed


def test_lines_are_sorted_by_what_they_pay() -> None:
    (table,) = cost_tables(
        [process(1, {"A": 1, "B": 1}, [place("A", 1, 10), place("A", 2, 30), place("B", 2, 60)])]
    )
    assert [(line.line, line.share) for line in table.lines] == [(2, 0.9), (1, 0.1)]
    of_a = next(cost for cost in table.bytecodes if cost.name == "A")
    assert [(line.line, line.share) for line in of_a.lines] == [(2, 0.75), (1, 0.25)]


def test_a_line_of_two_functions_is_one_of_the_hottest_lines_of_a_bytecode() -> None:
    in_expression = place("CALL", 4, 30).model_copy(update={"function": "f.<genexpr>"})
    places = [in_expression, place("CALL", 4, 25), place("CALL", 5, 45)]
    (table,) = cost_tables([process(1, {"CALL": 100}, places)])
    (call,) = table.bytecodes
    found = [(line.line, line.function, line.share) for line in call.lines]
    assert found == [(4, "f.<genexpr>", 0.55), (5, "f", 0.45)]


def test_a_bytecode_without_a_sample_has_a_count_and_no_time() -> None:
    (table,) = cost_tables([process(1, {"A": 5, "B": 7}, [place("A", 1, 10)])])
    seldom = next(cost for cost in table.bytecodes if cost.name == "B")
    assert (seldom.executions, seldom.share, seldom.ns_each) == (7, None, None)


def test_versions_are_not_mixed() -> None:
    tables = cost_tables([process(1, {"A": 1}, []), process(2, {"A": 2}, [], "3.12.1")])
    assert sorted((table.version, table.executions) for table in tables) == [
        ("3.12.1", 2),
        ("3.13.0", 1),
    ]


def test_pairs_of_several_processes_are_added() -> None:
    pairs = [CountedPair(first="A", second="B", executions=3)]
    one = process(1, {"A": 3}, []).model_copy(update={"pairs": pairs})
    (table,) = cost_tables([one, one.model_copy(update={"pid": 2})])
    assert table.pairs == [CountedPair(first="A", second="B", executions=6)]


def test_a_refused_process_is_told_of_beside_the_others(tmp_path: Path) -> None:
    for at, each in enumerate([process(1, {"A": 1}, []), refused("not supported")]):
        (tmp_path / f"{at}.json").write_text(each.model_dump_json())
    result = result_of(["a"], "mark", 0, tmp_path)
    assert [each.refused for each in result.refused] == ["not supported"]
    assert len(result.tables) == 1


def test_nothing_probed_is_a_mistake_that_says_why(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no process of a left results"):
        result_of(["/bin/a"], "mark", 0, tmp_path)
    (tmp_path / "1.json").write_text(refused("not supported").model_dump_json())
    with pytest.raises(UserMistake, match="nothing was probed: not supported"):
        result_of(["a"], "mark", 0, tmp_path)


def test_parts_of_a_runtime_that_compiles() -> None:
    inside, outside = place("iload", 1, 3), place(None, None, 6)
    places = [
        inside.model_copy(update={"part": "interpreter"}),
        outside.model_copy(update={"part": "compiled code"}),
    ]
    made = process(1, {"iload": 5}, places).model_copy(update={"compiles": True})
    (table,) = cost_tables([made])
    assert table.compiles
    assert [(one.part, round(one.share.value, 3)) for one in table.parts] == [
        ("compiled code", 0.667),
        ("interpreter", 0.333),
    ]
    (untold,) = cost_tables([process(1, {"iload": 5}, [inside])])
    assert (untold.compiles, untold.parts) == (False, [])


def test_frames_lie_on_each_other_with_bytecodes_on_top() -> None:
    places = [place("A", 3, 60), place("B", 3, 20), place("A", 4, 15), place(None, None, 4)]
    (table,) = cost_tables([process(1, {"A": 10, "B": 10}, [*places, place("C", 5, 1)])])
    told = [
        (one.kind, one.name, None if one.below is None else table.frames[one.below].name, one.share)
        for one in table.frames
    ]
    assert told == [
        ("part", "interpreter", None, 0.96),
        ("function", "f", "interpreter", 0.96),
        ("line", "3", "f", 0.8),
        ("bytecode", "A", "3", 0.6),
        ("bytecode", "B", "3", 0.2),
        ("line", "4", "f", 0.15),
        ("bytecode", "A", "4", 0.15),
        ("line", "5", "f", 0.01),
        ("bytecode", "C", "5", 0.01),
        ("part", "outside the interpreter", None, 0.04),
    ]


def call(function: str, caller: int) -> Call:
    return Call(path="/a.py" if function else "", function=function, caller=caller)


def with_calls(pid: int, calls: list[Call], places: list[SampledPlace]) -> ProbedProcess:
    made = process(pid, {"A": 10}, [])
    sampling = Sampling(source="CPU timer", period_ns=1000, lost=0, calls=calls, places=places)
    return made.model_copy(update={"sampling": sampling})


def called_by(caller: int, samples: int) -> SampledPlace:
    return place("A", 3, samples).model_copy(update={"caller": caller})


BOTTOMS = [call("", 0), call("", 0)]


def test_call_paths_of_processes_are_merged_by_name() -> None:
    one = with_calls(
        1,
        [*BOTTOMS, call("main", 0), call("g", 2), call("g", 1)],
        [called_by(2, 10), called_by(3, 20), called_by(4, 5), called_by(0, 1)],
    )
    # Two addresses of the same function; a function without a name.
    other = with_calls(
        2,
        [*BOTTOMS, call("main", 0), call("main", 0), call("", 3)],
        [called_by(2, 30), called_by(3, 30), called_by(4, 4)],
    )
    (table,) = cost_tables([one, other])
    assert table.folded == [
        "interpreter;[truncated];g (a.py);f (a.py);a.py:3;A 5",
        "interpreter;f (a.py);a.py:3;A 1",
        "interpreter;main (a.py);[unknown];f (a.py);a.py:3;A 4",
        "interpreter;main (a.py);f (a.py);a.py:3;A 70",
        "interpreter;main (a.py);g (a.py);f (a.py);a.py:3;A 20",
    ]
    assert table.no_call_paths == ""
    assert [(one.name, round(one.share, 2)) for one in table.frames[:5]] == [
        ("interpreter", 1.0),
        ("main", 0.94),
        ("f", 0.7),
        ("3", 0.7),
        ("A", 0.7),
    ]
    # The exclusive time of a line does not depend on its callers.
    ((line, share),) = [(line.line, line.share) for line in table.lines]
    assert (line, share) == (3, 1.0)


def test_a_sample_without_a_line_belongs_to_the_function_that_called() -> None:
    """As in compiled code. Samples without callers belong to no function."""
    compiled = place(None, None, 30).model_copy(update={"caller": 2})
    unknown = place(None, None, 9).model_copy(update={"caller": 3})
    places = [called_by(2, 60), compiled, unknown, place(None, None, 1)]
    (table,) = cost_tables([with_calls(1, [*BOTTOMS, call("f", 0), call("", 2)], places)])
    found = [(one.path, one.function, one.share) for one in table.functions]
    assert found == [("/a.py", "f", 0.9), ("", "[unknown]", 0.09)]


def test_a_runtime_without_call_paths_is_named() -> None:
    (table,) = cost_tables([process(1, {"A": 1}, [place("A", 3, 1)])])
    assert table.no_call_paths == (
        "the flame graph has no call paths, because the probe recorded no callers in cpython 3.13.0"
    )
    assert table.folded == ["interpreter;f (a.py);a.py:3;A 1"]
    unsampled = process(1, {"A": 1}, []).model_copy(update={"sampling": None})
    assert cost_tables([unsampled])[0].no_call_paths == ""


@pytest.mark.parametrize(
    ("calls", "caller"), [([*BOTTOMS, call("a", 3), call("b", 0)], 2), (BOTTOMS, 2), ([], 1)]
)
def test_a_caller_that_does_not_exist_is_refused(calls: list[Call], caller: int) -> None:
    with pytest.raises(ValidationError, match="caller"):
        with_calls(1, calls, [called_by(caller, 1)])


def test_frames_that_are_too_narrow_to_see_are_left_out() -> None:
    (table,) = cost_tables([process(1, {"A": 1}, [place("A", 3, 999), place("A", 4, 1)])])
    assert [one.name for one in table.frames] == ["interpreter", "f", "3", "A"]
