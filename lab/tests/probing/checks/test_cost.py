"""Costs of checks in an invented process, whose CPU time follows from its memory."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from probing.checks.recordings import bailout, compiled, listing_of
from runfair.errors import InvalidResult, UserMistake
from runfair.formats.checks import RemovalCost
from runfair.probing.checks.check import Patch, checks_of
from runfair.probing.checks.cost import Effort, Measurement, measure
from runfair.probing.checks.patched_process import CodeChanged, PatchedProcess

BASE_NS = 10e6
COSTS = {"bounds": 0.2, "shape": 0.1, "type": 0.05}
EFFORT = Effort(rounds=12, each_ns=2 * BASE_NS, calm_ns=10 * BASE_NS)


class InventedProcess(PatchedProcess):
    """A process with the recorded code. Each kind of check has a share of the CPU time, which is
    saved while its jumps are not in memory. `event` is called before each iteration."""

    def __init__(self, event: Callable[[InventedProcess, int], None] | None = None) -> None:
        self.listing = listing_of(compiled(0))
        self.version = "20.0.0"
        self.memory: dict[int, int] = {}
        self.writes = 0
        self.load(0)
        self.ends_after = 1_000_000
        self.exit_status = 0
        self._event = event
        self._iterations = 0
        self._noise = random.Random(1)

    def load(self, index: int) -> None:
        for one in self.listing.code_objects[index].instructions:
            self.memory |= dict(enumerate(one.code, one.address))

    @property
    def running(self) -> bool:
        return self._iterations <= self.ends_after

    @property
    def status(self) -> int:
        return self.exit_status

    def iteration(self) -> int | None:
        self._iterations += 1
        if self._iterations > self.ends_after:
            return None
        if self._event is not None:
            self._event(self, self._iterations)
        jumps = {
            check.kind: check.code.instructions[check.jump]
            for check in checks_of(self.listing.code_objects[0])
        }
        saved = {
            kind
            for kind, jump in jumps.items()
            if self.read([(jump.address, len(jump.code))]) != [jump.code]
        }
        share = 1 - sum(COSTS.get(kind, 0) for kind in saved)
        return round(BASE_NS * share * self._noise.lognormvariate(0, 0.01))

    def read(self, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        return [bytes(self.memory[at] for at in range(a, a + length)) for a, length in ranges]

    def write(self, patches: Sequence[Patch]) -> None:
        for one in patches:
            if self.read([(one.address, len(one.old))]) != [one.old]:
                raise CodeChanged("differs")
        for one in patches:
            self.memory |= dict(enumerate(one.new, one.address))
        self.writes += bool(patches)


def measured(process: InventedProcess) -> Measurement:
    return measure(process, ["element", "sum"], EFFORT)


def test_known_costs_are_found_and_everything_is_restored() -> None:
    process = InventedProcess()
    before = dict(process.memory)
    found = measured(process)
    assert process.memory == before
    assert (found.rounds, found.iterations_each) == (12, 2)
    costs: dict[str, RemovalCost] = {cost.removed: cost for cost in found.costs}
    assert list(costs) == ["type", "shape", "bounds", "hole", "arithmetic", "all", "nothing"]
    truth = COSTS | {"hole": 0, "arithmetic": 0, "all": 0.35, "nothing": 0}
    for name, share in truth.items():
        saved = costs[name].saved
        assert saved is not None
        assert saved.low - 0.004 < share < saved.high + 0.004, name
        assert saved.high - saved.low < 0.04
    assert costs["all"].checks == sum(cost.checks for cost in found.costs[:5]) == 11
    assert costs["nothing"].checks == 0


def test_a_check_belongs_to_the_function_in_whose_source_it_stands() -> None:
    found = measure(InventedProcess(), ["element"], EFFORT)
    assert {check.function.name for check in found.selection.checks} == {"element"}
    (summary,) = found.selection.summaries(["element"])
    assert (summary.function, summary.inlined) == ("sum", ["element"])
    assert list(summary.builtins.values()) == [3]
    assert all(place.function == "element" for place in found.selection.places())


def test_code_that_differs_from_its_listing_is_left_alone() -> None:
    process = InventedProcess()
    address = process.listing.code_objects[0].instructions[3].address
    process.memory[address] ^= 1
    with pytest.raises(UserMistake, match="differs from the code that V8 printed"):
        measured(process)
    assert process.writes == 0


def test_rounds_begin_again_when_the_functions_are_compiled_again() -> None:
    def compile_again(process: InventedProcess, iteration: int) -> None:
        if iteration == 60:
            process.listing.feed(bailout(0) + compiled(1))

    process = InventedProcess(compile_again)
    found = measured(process)
    assert found.rounds == 12
    assert [code.id for code in found.selection.codes] == [1]


def test_code_that_never_stays_the_same_has_no_result() -> None:
    def compile_often(process: InventedProcess, iteration: int) -> None:
        if iteration % 40 == 0:
            process.listing.feed(bailout(iteration // 40 - 1) + compiled(iteration // 40))

    with pytest.raises(InvalidResult, match="cannot measure the cost of the checks in this code"):
        measured(InventedProcess(compile_often))


def test_code_that_is_not_restored_has_no_result() -> None:
    class Forgetful(InventedProcess):
        def write(self, patches: Sequence[Patch]) -> None:
            whole = self.writes % 2 == 0  # a removal; what follows it is its restoration
            super().write(patches if whole else patches[1:])

    with pytest.raises((InvalidResult, UserMistake)):
        measured(Forgetful())


def test_a_program_that_ends_has_the_rounds_that_it_completed() -> None:
    process = InventedProcess()
    process.ends_after = 100
    assert 2 <= measured(process).rounds < 12
    process = InventedProcess()
    process.ends_after = 30
    with pytest.raises(UserMistake, match="let the program run more iterations"):
        measured(process)


def test_a_program_that_crashes_without_its_checks_is_told() -> None:
    process = InventedProcess()
    process.ends_after, process.exit_status = 100, 139
    with pytest.raises(
        InvalidResult, match=("ended with status 139 while these checks were removed")
    ):
        measured(process)


def test_the_warm_up_of_a_function_that_is_never_compiled_ends() -> None:
    process = InventedProcess()
    process.ends_after = 40
    effort = replace(EFFORT, longest_warm_up_ns=30 * BASE_NS)
    with pytest.raises(UserMistake, match=r"^TurboFan .* did not compile elephant; it compiled"):
        measure(process, ["element", "elephant"], effort)


def test_iterations_shorter_than_the_clocks_resolution_are_refused() -> None:
    class Brief(InventedProcess):
        def iteration(self) -> int | None:
            self._iterations += 1
            return 0 if self.running else None

    process = Brief()
    process.ends_after = 2_000
    with pytest.raises(UserMistake, match="uses less than 1 µs of CPU time"):
        measured(process)


def test_a_removal_is_measured_in_one_iteration_if_this_is_longer_than_the_warm_up() -> None:
    process = InventedProcess()
    process.ends_after = 500
    effort = replace(EFFORT, each_ns=BASE_NS / 2, longest_warm_up_ns=BASE_NS / 2)
    assert measure(process, ["element", "sum"], effort).iterations_each == 1


def test_functions_that_are_not_compiled_are_named() -> None:
    process = InventedProcess()
    process.ends_after = 30
    with pytest.raises(UserMistake) as caught:
        measure(process, ["element", "elephant"], EFFORT)
    assert str(caught.value) == (
        "the program ended before V8 had compiled all named functions; TurboFan (V8's "
        "optimising compiler) did not compile elephant; it compiled element, sum; correct the "
        "names of the functions, or let the program run more iterations"
    )
