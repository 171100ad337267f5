"""Bounds hold the truth, where it is known, and are no wider than the doubts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.honest_run import GCC, GO, OPERATIONS, cell_id, honest_run
from evidence.honest_services import FASTIFY, honest_services, service_cell
from evidence.records import Records, Series
from runfair.evidence.cell import CellEvidence
from runfair.evidence.load import examine
from runfair.fairness.bounds import EXECUTION_BOUNDS, bounds
from runfair.fairness.figures import execution_value
from runfair.fairness.verdict import judge
from runfair.formats.finding import Effect, LoadFinding, Verdict
from simulated.doubts import doubt, examined, requests_of
from simulated.requests import MILLISECOND, SECOND
from simulated.service_load import Load

SMALL = cell_id(GCC)


def program(run: Records, name: str = SMALL) -> CellEvidence:
    return next(one for one in run.evidence().cells if one.cell.id == name)


def verdict_of(run: Records, name: str, figure: str) -> Verdict:
    (cell,) = [one for one in judge(run.evidence()).cells if one.cell == name]
    return cell.figures[figure]


# ------------------------------------------------------------ what a finding says of its size


@pytest.mark.parametrize(
    ("effect", "size", "low", "high"),
    [
        ("longer", 0.1, 0.9, 1.0),
        ("shorter", 0.1, 1.0, 1 / 0.9),
        ("either", 0.1, 0.9, 1 / 0.9),
        ("longer", None, None, 1.0),
        ("shorter", None, 1.0, None),
        ("either", None, None, None),
    ],
)
def test_a_doubt_moves_the_limits_in_its_direction_by_its_size(
    effect: Effect, size: float | None, low: float | None, high: float | None
) -> None:
    cell = program(honest_run())
    found = bounds(cell, "cpu", [doubt("some", effect, size)])
    assert found is not None
    plain = bounds(cell, "cpu", [doubt("some", "either", 0.0)])
    assert plain is not None and plain[0] is not None and plain[1] is not None
    wanted = tuple(
        None if end is None or factor is None else pytest.approx(end * factor, rel=0.01)
        for end, factor in zip(plain, (low, high), strict=True)
    )
    assert found == wanted


def test_doubts_of_known_sizes_are_multiplied() -> None:
    cell = program(honest_run())
    both = bounds(cell, "cpu", [doubt("one", "longer", 0.1), doubt("other", "longer", 0.2)])
    single = bounds(cell, "cpu", [doubt("one", "longer", 0.28)])
    assert both is not None and single is not None
    assert both[0] == pytest.approx(single[0])


def test_without_a_direction_there_are_no_bounds() -> None:
    cell = program(honest_run())
    assert bounds(cell, "cpu", []) is None
    assert bounds(cell, "cpu", [doubt("digest", None)]) is None
    limitation = doubt("some", "longer").model_copy(update={"severity": "limitation"})
    assert bounds(cell, "cpu", [limitation]) is None


def test_faults_that_leave_neither_side_void_a_figure() -> None:
    """Others made it longer, and pauses were left out: nothing is known of it."""
    run = honest_services()
    name = service_cell(FASTIFY)
    cell = next(one for one in run.evidence().cells if one.cell.id == name)
    found = bounds(cell, "p99", [doubt("foreign_time", "longer"), doubt("omitted", "shorter")])
    assert found == (None, None)


# ------------------------------------------------------------ the generator's own lateness


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), late=st.sampled_from([0.0, 0.01, 0.1, 0.5]))
def test_the_generators_own_lateness_is_bounded_in_every_execution(seed: int, late: float) -> None:
    """For each percentile: the least, the truth, what was measured."""
    requests, truth = requests_of(np.random.default_rng(seed), late, count=1_500)
    evidence = examined(Load(requests, 1000.0))
    assert evidence.least is not None
    from_ns = evidence.steady_from_ns
    true = np.sort(truth[requests.intended_ns >= from_ns])
    for share in (0.5, 0.9, 0.99):
        at = float(np.quantile(true, share, method="inverted_cdf"))
        least, measured = evidence.least.value_at(share), evidence.latency.value_at(share)
        assert least is not None and measured is not None
        assert least <= at <= measured * 1.001
    if late == 0:
        assert evidence.least.value_at(0.99) == pytest.approx(
            evidence.latency.value_at(0.99), rel=0.002
        )


def warned_of(check_name: str, lag_ns: int) -> Records:
    """A run whose generator warned, and sent every request late by this time."""
    warning = LoadFinding(
        check=check_name, severity="warning", figures=[], message="seen", advice=""
    )
    return honest_services().with_loads(
        FASTIFY, lambda load: replace(load.sent_late(lag_ns), findings=(warning,))
    )


def test_late_sends_are_fair_if_they_hardly_lengthened_the_latency() -> None:
    name = service_cell(FASTIFY)
    assert verdict_of(warned_of("arrivals", 1_000), name, "p50").state == "fair"
    late = verdict_of(warned_of("arrivals", MILLISECOND), name, "p50")
    on_time = verdict_of(honest_services(), name, "p50")
    assert (late.state, on_time.bounds) == ("flagged", None)
    assert late.bounds is not None and late.bounds[0] is not None and late.bounds[1] is not None
    # The median of two milliseconds was measured as three.
    assert late.bounds[0] < 2.1 * MILLISECOND < 2.9 * MILLISECOND < late.bounds[1]


def test_another_warning_of_the_generator_has_no_limit() -> None:
    found = verdict_of(warned_of("disturbance", 1_000), service_cell(FASTIFY), "p50")
    assert (found.state, found.bounds) == ("flagged", None)


# ------------------------------------------------------------ failures, too few, levels


def test_failures_are_counted_as_the_fastest_and_as_the_slowest() -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: one.failing(0.005))
    p99 = verdict_of(run, service_cell(FASTIFY), "p99")
    whole = verdict_of(honest_services(), service_cell(FASTIFY), "p99")
    assert (whole.state, whole.bounds) == ("fair", None)
    assert p99.state == "flagged" and p99.bounds is not None
    low, high = p99.bounds
    assert low is not None and high is not None and low < high
    assert verdict_of(run, service_cell(FASTIFY), "p99_9").bounds[1] is None  # type: ignore[index]


@pytest.mark.parametrize("recorded", [True, False])
def test_wrong_bodies_that_were_not_compared_are_among_the_latencies(recorded: bool) -> None:
    """Half of the bodies were compared, and the comparison found wrong bodies in 1/8 of all
    requests. So another 1/8 have wrong bodies but count as good. They are 1/7 of the good answers,
    and may be the slowest or the fastest of them."""
    requests, _ = requests_of(np.random.default_rng(1), late=0.0)
    sampled = Load(requests, 1000.0).failing(1 / 8, "wrong_body").telling(check_share=0.5)
    records = sampled.records if recorded else None
    load = examine(sampled.result, sampled.intervals, sampled.usage, 0.0, records=records)
    execution = program(honest_services(), service_cell(FASTIFY)).completed[0]
    found = EXECUTION_BOUNDS["errors"](replace(execution, load=load), "p50")
    # The median of eight requests is the fourth: of seven answers, the second or the fifth.
    wanted = (load.latency.value_at(2 / 7), load.latency.value_at(5 / 7))
    assert found == pytest.approx(wanted, rel=0.02)


def test_too_few_requests_leave_a_lower_limit() -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: one.first(20_000))
    found = verdict_of(run, service_cell(FASTIFY), "p99_99")
    assert found.state == "flagged" and found.bounds is not None
    assert found.bounds[0] is not None and found.bounds[1] is None


def wandering(levels: list[float]) -> Records:
    """Iterations of C++ on these levels, one after the other, in every execution."""

    return honest_run().with_series(SMALL, lambda _: series_on(levels))


def series_on(levels: list[float]) -> Series:
    each = 100 // len(levels)
    random = np.random.default_rng(3)
    noise = np.exp(random.normal(0, 0.001, each * len(levels)))
    shape = np.repeat(levels, each) * noise * SECOND
    return shape.astype(np.int64), (shape * 0.997).astype(np.int64)


def test_a_program_that_wanders_lies_between_its_levels() -> None:
    run = wandering([1.0, 1.3, 1.0, 1.3, 1.15])
    found = verdict_of(run, SMALL, "cpu")
    assert (found.state, found.bounds is None) == ("flagged", False)
    low, high = found.bounds or (None, None)
    assert low is not None and high is not None
    assert low <= 1.0 * SECOND <= 1.3 * 0.996 * SECOND <= high * 1.01


def test_a_program_that_still_becomes_faster_is_at_most_its_last_level() -> None:
    run = wandering([2.0, 1.8, 1.6, 1.4, 1.2])
    low, high = verdict_of(run, SMALL, "cpu").bounds or (0.0, None)
    assert low is None and high is not None
    value = execution_value(program(run).executions[0], "cpu")
    assert value is not None and high >= 1.2 * 0.997 * SECOND * 0.99


def test_others_time_bounds_a_program_of_one_thread_from_both_sides() -> None:
    run = honest_run().with_launch_share(SMALL, "foreign_ns", 0.09)
    run = run.with_launch_share(SMALL, "run_queue_ns", 0.03).with_launches(SMALL, processes=1)
    found = verdict_of(run, SMALL, "wall").bounds
    assert found is not None
    low, high = found
    honest = execution_value(program(honest_run()).executions[0], "wall")
    assert low is not None and high is not None and honest is not None
    assert 0.9 * honest < low < honest < high * 1.01


def test_a_runtime_with_threads_of_its_own_lost_at_most_what_others_used() -> None:
    """Ticks of 10 ms are too coarse for a limit."""
    go = cell_id(GO)
    run = honest_run().with_launch_share(go, "foreign_ns", 0.09)
    run = run.with_launches(go, run_queue_ns=None)
    low, high = verdict_of(run, go, "wall").bounds or (None, None)
    honest = execution_value(program(honest_run(), go).executions[0], "wall")
    assert low is not None and high is not None and honest is not None
    assert 0.8 * honest < low < honest < high * 1.01
    ticking = run.with_launches(go, foreign_source="stat")
    low, high = verdict_of(ticking, go, "wall").bounds or (0.0, None)
    assert low is None and high is not None


TRIES = OPERATIONS["tries"]


def timed_by_iteration(run: Records, part: float = 0.9, per_thousand: str = "tries") -> Records:
    """Go's steady program with a sample of each iteration: the wall time of 1,000 tries, in
    `part` of the iteration."""
    go = cell_id(GO)
    mine = [record.id for record in run.executions if record.cell == go]

    def draw(execution: int, iteration: int) -> list[int]:
        wall_ns = int(run.series[mine[execution]][0][iteration])
        return [round(wall_ns * part / (TRIES / 1000))]

    return run.sampling(go, draw, percentiles=["p50"], single=True, per_thousand=per_thousand)


def test_a_time_of_the_whole_iteration_lost_at_most_what_others_used() -> None:
    go = cell_id(GO)
    run = honest_run().with_launch_share(go, "foreign_ns", 0.09)
    run = run.with_launches(go, run_queue_ns=None)
    value = execution_value(program(timed_by_iteration(honest_run()), go).executions[0], "wall")
    assert value is not None
    honest = 0.9 * value / (TRIES / 1000)
    low, high = verdict_of(timed_by_iteration(run), go, "lateness.p50").bounds or (None, None)
    assert low is not None and high is not None
    assert 0.75 * honest < low < honest < high * 1.01


# The second one was not counted.
@pytest.mark.parametrize("per_thousand", ["", "tasks"])
def test_times_of_parts_of_an_iteration_have_only_an_upper_limit(per_thousand: str) -> None:
    """Other processes may have delayed several samples at the same time."""
    go = cell_id(GO)
    run = honest_run().with_launch_share(go, "foreign_ns", 0.09)
    run = run.with_launches(go, run_queue_ns=None)
    found = verdict_of(
        timed_by_iteration(run, per_thousand=per_thousand), go, "lateness.p50"
    ).bounds
    assert found is not None
    assert found[0] is None and found[1] is not None


def test_samples_of_more_time_than_the_iterations_took_have_no_lower_limit() -> None:
    """A program that multiplies its times would otherwise get a limit near the false value."""
    go = cell_id(GO)
    run = honest_run().with_launch_share(go, "foreign_ns", 0.09)
    run = run.with_launches(go, run_queue_ns=None)
    found = verdict_of(timed_by_iteration(run, part=1.2), go, "lateness.p50").bounds
    assert found is not None and found[0] is None


@given(seed=st.integers(0, 2**32 - 1), processors=st.sampled_from([1, 2, 4]))
@settings(max_examples=60, deadline=None)
def test_the_true_median_is_never_below_its_limit(seed: int, processors: int) -> None:
    """Others delay the timed part and the rest of an iteration in any way; the threads compute for
    a part of the time only, and at most on all processors. The kernel counts stolen time as CPU
    time of the program."""
    random = np.random.default_rng(seed)
    part, rest = random.lognormal(18, 0.3, 12), random.lognormal(random.uniform(10, 18), 0.3, 12)
    busy = random.uniform(random.uniform(0, 1), 1, 12) * processors
    late_part, late_rest, stolen = (
        random.exponential(10 ** random.uniform(4, 8), 12) * random.integers(0, 2, 12)
        for _ in range(3)
    )
    late_part += stolen
    measured = replace(
        program(timed_by_iteration(honest_run()), cell_id(GO)).executions[0],
        steady=None,
        wall_ns=np.concatenate([np.ones(12), part + rest + late_part + late_rest]).astype(np.int64),
        cpu_ns=np.concatenate([np.ones(12), busy * (part + rest) + stolen]).astype(np.int64),
        singles={"lateness": ((part + late_part) / (TRIES / 1000)).astype(np.int64)},
    )
    stolen_ns = int(np.ceil(stolen.sum()))
    lost_ns = int(np.ceil(late_part.sum() + late_rest.sum())) - stolen_ns
    launch = measured.record.launch.model_copy(
        update={"foreign_ns": lost_ns, "foreign_source": "cpuacct", "steal_ns": stolen_ns}
    )
    record = measured.record.model_copy(
        update={"launch": launch, "processors": list(range(processors))}
    )
    execution = replace(measured, record=record)
    for figure, true in (
        ("wall", part + rest),
        ("lateness.p50", part / (TRIES / 1000)),
    ):
        low, high = EXECUTION_BOUNDS["foreign_time"](execution, figure)
        assert high is None and low is not None
        assert low <= np.sort(true)[5]


def test_an_iteration_takes_at_least_its_cpu_time() -> None:
    """Others used the other processor, and the program's thread was never delayed."""
    run = honest_run().with_launch_share(SMALL, "foreign_ns", 0.4)
    run = run.with_launches(SMALL, run_queue_ns=None)
    low, _ = verdict_of(run, SMALL, "wall").bounds or (None, None)
    honest = execution_value(program(honest_run()).executions[0], "cpu")
    assert low is not None and honest is not None
    assert low > 0.98 * honest


def test_threads_that_ended_may_have_waited_longer_than_the_kernel_reports() -> None:
    cold = cell_id(GO, mode="cold")
    run = honest_run().with_launch_share(cold, "foreign_ns", 0.4)
    run = run.with_launch_share(cold, "run_queue_ns", 0.0).with_launches(cold, cpu_ns=SECOND // 2)
    value = execution_value(program(run, cold).executions[0], "wall")
    low, _ = verdict_of(run, cold, "wall").bounds or (None, None)
    assert low is not None and value is not None and low <= 0.65 * value


def test_a_part_of_a_cold_execution_lost_at_most_as_much_as_the_whole() -> None:
    cold = cell_id(GCC, mode="cold")
    run = honest_run().with_first_iteration(cold, 0.3).with_launch_share(cold, "foreign_ns", 0.03)
    for figure in ("start", "first", "work"):
        value = execution_value(program(run, cold).executions[0], figure)
        low, high = verdict_of(run, cold, figure).bounds or (None, None)
        assert low is not None and high is not None and value is not None
        assert 0 <= low < value < high * 1.01


def test_one_that_falls_by_chance_among_others_that_do_not_wanders() -> None:
    """Two levels of a program that wanders are in falling order every other time."""
    falls = [1.3, 1.2, 1.1, 1.0, 0.9]
    low, high = verdict_of(in_turn(falls, [1.0, 1.3, 1.0, 1.3, 1.15]), SMALL, "cpu").bounds or (
        None,
        None,
    )
    assert low is not None and high is not None
    low, high = verdict_of(in_turn(falls, falls), SMALL, "cpu").bounds or (0.0, None)
    assert low is None and high is not None


def test_threads_that_wait_for_each_other_take_nothing_below_the_cpu_time() -> None:
    """The threads of one process waited longer in sum than the process computed."""
    cold = cell_id(GCC, mode="cold")
    run = honest_run().with_launch_share(cold, "foreign_ns", 0.03)
    run = run.with_launch_share(cold, "run_queue_ns", 0.9).with_launches(cold, processes=1)
    low, _ = verdict_of(run, cold, "wall").bounds or (None, None)
    cpu_ns = [one.launch.cpu_ns for one in run.executions if one.cell == cold]
    assert low is not None and low > 0.9 * min(cpu_ns)


def first_wanders(levels: list[float]) -> Records:
    """Only the first execution of C++ wanders, between these levels."""
    return honest_run().with_series(SMALL, lambda _: series_on(levels), 1)


def test_one_that_wanders_less_than_the_executions_differ_leaves_the_figure_fair() -> None:
    """The honest executions lie around 1.2 s; 1 of 6 that moves a little widens nothing."""
    near, far = [1.190, 1.215, 1.190, 1.215, 1.2], [0.7, 1.7, 0.7, 1.7, 1.2]
    for figure in ("wall", "cpu"):
        assert verdict_of(first_wanders(near), SMALL, figure).state == "fair"
        found = verdict_of(first_wanders(far), SMALL, figure)
        assert found.state == "flagged"
        assert found.bounds is not None and None not in found.bounds


def in_turn(*courses: list[float]) -> Records:
    """Every other execution takes the first course."""
    left = [*courses] * 3

    def change(_: Series) -> Series:
        return series_on(left.pop(0))

    return honest_run().with_series(SMALL, change)


def hurried(factor: float) -> Records:
    """Too few requests to classify the load. In the last quarter of the load, each request takes
    this many times as long."""

    def change(load: Load) -> Load:
        few = replace(load.thinned(3_000), rate_per_s=125.0)
        requests = few.requests
        last = requests.intended_ns > 0.75 * few.elapsed_ns
        latency = np.where(last, requests.latency_ns * factor, requests.latency_ns)
        return few.with_requests(done_ns=requests.intended_ns + latency.astype(np.int64))

    return honest_services().with_loads(FASTIFY, change)


def test_a_load_too_short_to_classify_lies_between_its_halves() -> None:
    name = service_cell(FASTIFY)
    classes = {
        one.steady and one.steady.classification for one in program(hurried(1), name).completed
    }
    assert classes == {"too short"}
    for figure, truth in (("p50", 2.0 * MILLISECOND), ("cpu", FASTIFY.cpu_ns)):
        bound = verdict_of(hurried(1), name, figure).bounds
        assert bound is not None and bound[0] is not None and bound[1] is not None
        assert bound[0] <= truth <= bound[1] < 1.2 * bound[0]


def test_a_load_that_becomes_faster_and_hides_it_has_no_lower_limit() -> None:
    """The halves of every execution fall by a third, so the level may fall further."""
    found = verdict_of(hurried(0.67), service_cell(FASTIFY), "p50")
    assert found.state == "flagged"
    assert found.bounds is not None and found.bounds[0] is None
    assert found.bounds[1] is not None and found.bounds[1] > 2 * MILLISECOND


def test_the_cpu_time_of_a_service_that_is_never_steady_has_limits() -> None:
    """The latency doubles during each load. The CPU time per request stays the same."""

    def drift(load: Load) -> Load:
        requests = load.requests
        factor = np.linspace(1, 2, len(requests.kind))
        late = requests.intended_ns + (requests.latency_ns * factor).astype(np.int64)
        return load.with_requests(done_ns=late)

    name = service_cell(FASTIFY)
    run = honest_services().with_loads(FASTIFY, drift)
    classes = {one.steady and one.steady.classification for one in program(run, name).completed}
    assert classes == {"no steady state"}
    bound = verdict_of(run, name, "cpu").bounds
    assert bound is not None and bound[0] is not None and bound[1] is not None
    assert bound[0] <= FASTIFY.cpu_ns <= bound[1] < 1.2 * bound[0]


def noisy(change: float) -> Callable[[Series], Series]:
    """Noise of 40% that hides a change of the level at three quarters from the detector."""

    def course(series: Series) -> Series:
        count = len(series[0])
        noise = np.exp(np.random.default_rng(3).normal(0, 0.4, count))
        noise *= np.where(np.arange(count) < count * 3 // 4, 1.0, change)
        return (series[0] * noise).astype(np.int64), (series[1] * noise).astype(np.int64)

    return course


@pytest.mark.parametrize(("rising", "open_below"), [(0, True), (1, False), (2, False)])
def test_halves_of_noisy_programs_have_a_direction_only_if_all_agree(
    rising: int, open_below: bool
) -> None:
    run = honest_run().with_series(SMALL, noisy(0.6))
    if rising:
        run = run.with_series(SMALL, noisy(1.6), rising)
    classes = {one.steady and one.steady.classification for one in program(run).completed}
    assert classes == {"too short"}
    bound = verdict_of(run, SMALL, "cpu").bounds
    assert bound is not None and bound[1] is not None
    assert (bound[0] is None) == open_below


def test_wrong_answers_and_unequal_work_stay_void() -> None:
    run = honest_run().with_cell(cell_id(GO), parameters={"other": 1})
    assert verdict_of(run, cell_id(GO), "wall").state == "void"
    assert verdict_of(run, cell_id(GO), "wall").bounds is None


def test_unequal_work_is_void_whatever_else_only_made_it_longer() -> None:
    go = cell_id(GO)
    run = honest_run().with_launch_share(go, "foreign_ns", 0.09)
    assert verdict_of(run, go, "wall").state == "flagged"
    assert verdict_of(run.with_cell(go, parameters={"other": 1}), go, "wall").state == "void"
