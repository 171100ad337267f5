"""Which blocks count as disturbed, and that repeating them favours nobody (simulated)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from runfair.statistics.disturbance import (
    BUDGET_SHARE,
    MOST_REPEATS,
    Attempt,
    chosen,
    disturbed,
    next_to_repeat,
    usual,
)

QUIET = Attempt(disturbed=False, lost=0.0, took_ns=10)


def lost(share: float, took_ns: int = 10) -> Attempt:
    return Attempt(disturbed=True, lost=share, took_ns=took_ns)


def test_the_usual_share_is_that_of_the_lower_half() -> None:
    assert usual([]) == 0
    assert usual([0.5, 0.01]) == 0.01
    assert usual([0.3, 0.1, 0.2, 0.9, 0.8, 0.05]) == 0.2


@pytest.mark.parametrize(
    ("share", "doubt", "usually", "expected"),
    [
        (0.019, 0.0, 0.0, False),
        (0.021, 0.0, 0.0, True),
        (0.021, 0.002, 0.0, False),
        (0.3, 0.0, 0.11, False),
        (0.3, 0.0, 0.09, True),
    ],
)
def test_what_is_more_than_usual_disturbs(
    share: float, doubt: float, usually: float, expected: bool
) -> None:
    assert disturbed(share, doubt, usually) is expected


def test_the_first_undisturbed_attempt_counts_else_that_which_lost_least() -> None:
    assert chosen([QUIET]) == 0
    assert chosen([lost(0.3), QUIET, QUIET]) == 1
    assert chosen([lost(0.3), lost(0.1), lost(0.2)]) == 1


def test_a_block_is_repeated_at_most_twice() -> None:
    blocks = [[QUIET], [lost(0.3)], *[[QUIET] for _ in range(10)]]
    for _ in range(MOST_REPEATS):
        assert next_to_repeat(blocks) == 1
        blocks[1].append(lost(0.3))
    assert next_to_repeat(blocks) is None
    blocks[1][-1] = QUIET
    blocks[3] = [lost(0.1)]
    assert next_to_repeat(blocks) == 3


def test_repeats_stay_within_their_budget() -> None:
    blocks = [[lost(0.5)] for _ in range(10)]
    while (place := next_to_repeat(blocks)) is not None:
        blocks[place].append(lost(0.5))
    repeats = sum(len(block) - 1 for block in blocks)
    assert repeats == int(BUDGET_SHARE * len(blocks))
    assert next_to_repeat([[lost(0.5, 90)], [lost(0.5, 10)]]) == 1


def test_repeats_under_way_are_not_chosen_again_and_use_the_budget() -> None:
    blocks = [[lost(0.5)] for _ in range(10)]
    under_way: list[int] = []
    while (place := next_to_repeat(blocks, under_way)) is not None:
        under_way.append(place)
    assert under_way == [*range(int(BUDGET_SHARE * len(blocks)))]


@dataclass
class Machine:
    """Somebody takes half a processor now and then, for exponential times: 12 s of 400 s. While
    that is so, a program gets half, and needs a tenth more work for lost caches: it takes more
    than twice as long, and so meets the more of it. Its work of 2 s wanders by 2%, each execution
    near the one before."""

    random: np.random.Generator
    taken: float = 0.5
    extra_work: float = 0.1
    busy_s: float = 12.0
    free_s: float = 388.0
    wander: float = 0.02
    kept: float = 0.7
    now_s: float = field(default=0.0, init=False)
    busy: bool = field(default=False, init=False)
    changes_s: float = field(default=0.0, init=False)
    state: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.busy = bool(self.random.random() < self.busy_s / (self.busy_s + self.free_s))
        self.changes_s = float(self.random.exponential(self.busy_s if self.busy else self.free_s))

    def execute(self) -> tuple[float, float]:
        """Wall seconds, and the share of them that was lost to others."""
        innovation = self.random.normal(0, self.wander * np.sqrt(1 - self.kept**2))
        self.state = self.kept * self.state + innovation
        left_s, wall_s, lost_s = 2.0 * float(np.exp(self.state)), 0.0, 0.0
        while left_s > 0:
            speed = (1 - self.taken) / (1 + self.extra_work) if self.busy else 1.0
            step_s = min(left_s / speed, self.changes_s - self.now_s)
            left_s -= step_s * speed
            wall_s += step_s
            lost_s += step_s * self.taken if self.busy else 0.0
            self._pass(step_s)
            if left_s < 1e-12:
                break
        self._idle(0.1)
        return wall_s, lost_s / wall_s

    def _pass(self, seconds: float) -> None:
        self.now_s += seconds
        if self.changes_s - self.now_s < 1e-12:
            self.busy = not self.busy
            self.changes_s += float(
                self.random.exponential(self.busy_s if self.busy else self.free_s)
            )

    def _idle(self, seconds: float) -> None:
        while seconds > 1e-12:
            step_s = min(seconds, self.changes_s - self.now_s)
            self._pass(step_s)
            seconds -= step_s


GROUPS, BLOCKS, PROGRAMS = 4, 3, 2
PER_BLOCK = 2 * PROGRAMS


def a_run(random: np.random.Generator, **machine: float) -> tuple[float, float]:
    """Logs of a figure against its true value, with and without repeats: the middle of six
    executions of a program, in a run of four groups."""
    machine_now = Machine(random, **machine)
    walls: dict[tuple[int, int], list[list[float]]] = {}
    shares: dict[tuple[int, int], list[list[float]]] = {}

    def carry_out(place: tuple[int, int]) -> None:
        told = [machine_now.execute() for _ in range(PER_BLOCK)]
        walls.setdefault(place, []).append([wall for wall, _ in told])
        shares.setdefault(place, []).append([share for _, share in told])

    places = [(block, group) for block in range(BLOCKS) for group in range(GROUPS)]
    for place in places:
        carry_out(place)
    # A program's two executions in a block are the first and the last, or the two between.
    usually = {
        (group, own): usual([shares[b, group][0][n] for b in range(BLOCKS) for n in own])
        for group in range(GROUPS)
        for own in ((0, 3), (1, 2))
    }

    def attempts(place: tuple[int, int]) -> list[Attempt]:
        return [
            Attempt(
                any(
                    disturbed(share[n], 0.0, usually[place[1], own])
                    for own in ((0, 3), (1, 2))
                    for n in own
                ),
                max(share),
                round(1e9 * sum(wall)),
            )
            for wall, share in zip(walls[place], shares[place], strict=True)
        ]

    while (again := next_to_repeat([attempts(place) for place in places])) is not None:
        carry_out(places[again])
    shown, planned = [], []
    for block in range(BLOCKS):
        place = (block, 0)
        counting = walls[place][chosen(attempts(place))]
        shown += [counting[0], counting[3]]
        planned += [walls[place][0][0], walls[place][0][3]]
    truth = np.log(2.0)
    return float(np.log(shown).mean() - truth), float(np.log(planned).mean() - truth)


def bias(runs: int, **machine: float) -> tuple[float, float]:
    """With and without repeats, as shares of the figure."""
    random = np.random.default_rng(20)
    found = np.array([a_run(random, **machine) for _ in range(runs)])
    with_repeats, without = np.expm1(found.mean(axis=0))
    return float(with_repeats), float(without)


# Of the time others are there: 3% in stretches of 12 s, 6%, 2% in stretches shorter than an
# execution, and 3% while the program itself wanders by a tenth.
MACHINES: tuple[dict[str, float], ...] = (
    {},
    {"busy_s": 12.0, "free_s": 188.0},
    {"busy_s": 0.3, "free_s": 15.0},
    {"wander": 0.1},
)


@pytest.mark.parametrize("machine", MACHINES)
def test_repeats_favour_nobody(machine: dict[str, float]) -> None:
    """Programs that run longer when disturbed, and depend on what ran before."""
    with_repeats, without = bias(1_000, **machine)
    assert abs(with_repeats) < 0.005
    assert without > 0.005


@pytest.mark.long
@pytest.mark.parametrize("machine", MACHINES)
def test_repeats_favour_nobody_in_many_runs(machine: dict[str, float]) -> None:
    with_repeats, without = bias(10_000, **machine)
    assert abs(with_repeats) < 0.005
    assert without > 0.008
