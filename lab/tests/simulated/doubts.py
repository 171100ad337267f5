"""Executions whose figures are in doubt, beside what they would have been without the doubt.

Each simulation gives one execution. Executions of one program or service differ by 5%.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy.signal import lfilter

from evidence.honest_run import GCC, cell_id, honest_run
from evidence.honest_services import FASTIFY, honest_services, service_cell
from evidence.records import Records
from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.load import LoadEvidence, examine
from runfair.formats.finding import Effect, Finding
from runfair.statistics.steady_state import detect
from simulated.requests import GOOD, KINDS, FloatArray, IntArray, Requests, arrivals
from simulated.service_load import Load

BETWEEN = 0.05
"""Standard deviation of the logarithm of an execution's speed."""

REQUESTS = 1_200
ITERATIONS = 100
ITERATION_NS = 10_000_000
LAG_NS = 2_000_000
P99 = 0.99


@dataclass(frozen=True, eq=False)
class Doubted:
    """An execution as it was measured. `truth` is its figure without the doubt; `needed` are the
    limits that one would give who knows what the doubt did: how late each request was, how many
    requests failed, how long each iteration was interrupted, which level is the last."""

    evidence: ExecutionEvidence
    truth: float
    needed: tuple[float, float]


Simulation = Callable[[np.random.Generator], Doubted]


@cache
def _honest(kind: str) -> CellEvidence:
    run: Records
    run, name = honest_run(), cell_id(GCC)
    if kind == "service":
        run, name = honest_services(), service_cell(FASTIFY)
    return next(one for one in run.evidence().cells if one.cell.id == name)


def cell_of(executions: list[ExecutionEvidence]) -> CellEvidence:
    """The honest cell of the same kind, with these executions, each under an id of its own."""
    kind = "program" if executions[0].load is None else "service"
    own = tuple(
        replace(one, record=one.record.model_copy(update={"id": f"{number:05d}.1"}))
        for number, one in enumerate(executions, 1)
    )
    return replace(_honest(kind), executions=own)


def doubt(check: str, effect: Effect | None, size: float | None = None) -> Finding:
    return Finding(
        check=check,
        severity="fault",
        cell=None,
        figures=["all"],
        text="seen",
        effect=effect,
        size=size,
    )


def examined(load: Load) -> LoadEvidence:
    return examine(load.result, load.intervals, load.usage, 0.0, records=load.records)


def queued(sent: IntArray, work: IntArray) -> IntArray:
    """When each request is done by one server that answers them in the order they are sent."""
    done = np.cumsum(work)
    starts: IntArray = np.maximum.accumulate(sent - np.concatenate(([0], done[:-1])))
    return starts + done


def requests_of(
    random: np.random.Generator, late: float, memory: float = 0.0, count: int = REQUESTS
) -> tuple[Requests, IntArray]:
    """Requests to one server of which a share was sent late, and the latencies that a punctual
    generator would have seen. `memory`: after so many requests 1/e of a deviation of their work is
    left."""
    intended = arrivals(1000, count / 1000)
    noise = random.normal(0, 1, count)
    if memory:
        kept = np.exp(-1 / memory)
        noise[0] /= np.sqrt(1 - kept**2)
        noise = lfilter([np.sqrt(1 - kept**2)], [1, -kept], noise)
    level = 300_000 * np.exp(random.normal(0, BETWEEN))
    work = (level * np.exp(0.5 * noise)).astype(np.int64)
    lag = np.where(random.random(count) < late, random.exponential(LAG_NS, count), 0)
    # A generator sends in order: who is behind a late one goes no sooner.
    sent = np.maximum.accumulate(intended + lag.astype(np.int64))
    kind = np.full(count, GOOD, dtype=np.int64)
    return Requests(intended, sent, queued(sent, work), kind), queued(intended, work) - intended


def served(
    *, late: float = 0.0, failing: float = 0.0, memory: float = 0.0, count: int = REQUESTS
) -> Simulation:
    """p99 of a service. Shares of its requests are late, or fail whatever their latency."""

    def simulate(random: np.random.Generator) -> Doubted:
        requests, truth = requests_of(random, late, memory, count)
        failed = random.random(count) < failing
        kinds = np.where(failed, KINDS.index("wrong_status"), requests.kind)
        load = examined(Load(replace(requests, kind=kinds), 1000.0))
        steady = requests.intended_ns >= load.steady_from_ns
        good = steady & ~failed
        share = float(failed[steady].mean())
        low = _quantile(truth[good], (P99 - share) / (1 - share))
        high = _quantile(requests.latency_ns[good], min(1.0, P99 / (1 - share)))
        evidence = replace(_honest("service").executions[0], load=load)
        return Doubted(evidence, _quantile(truth[steady], P99), (low, high))

    return simulate


def _quantile(values: IntArray, share: float) -> float:
    return float(np.quantile(values, share, method="inverted_cdf"))


Course = Callable[[np.random.Generator], FloatArray]


def level(_: np.random.Generator) -> FloatArray:
    return np.ones(ITERATIONS)


def falling(_: np.random.Generator) -> FloatArray:
    """Five levels, each nearer to the last one, which is not reached."""
    return np.repeat(1 + 0.4 * 0.7 ** np.arange(5), ITERATIONS // 5)


def wandering(random: np.random.Generator) -> FloatArray:
    """Five levels around the true one, by 10%."""
    return np.repeat(np.exp(random.normal(0, 0.1, 5)), ITERATIONS // 5)


def sloping(random: np.random.Generator) -> FloatArray:
    """A steady fall by 15% to the true level, under noise of 5%."""
    return np.linspace(1.15, 1, ITERATIONS) * np.exp(random.normal(0, 0.05, ITERATIONS))


def noisy(random: np.random.Generator) -> FloatArray:
    """A fall by 12% to the true level at three quarters. The noise of 40% hides it."""
    fall = np.where(np.arange(ITERATIONS) < ITERATIONS * 3 // 4, 1.12, 1.0)
    return fall * np.exp(random.normal(0, 0.4, ITERATIONS))


def ran(*, delayed: float = 0.0, course: Course = level) -> Simulation:
    """Wall time of a program of one thread. Others interrupt a share of its iterations for 2 ms in
    the mean; its level takes a course, in units of the one that it has in the end."""

    def simulate(random: np.random.Generator) -> Doubted:
        truth = ITERATION_NS * float(np.exp(random.normal(0, BETWEEN)))
        own = truth * np.exp(random.normal(0, 0.005, ITERATIONS)) * course(random)
        hit = random.random(ITERATIONS) < delayed
        delay = np.where(hit, random.exponential(LAG_NS, ITERATIONS), 0)
        wall = (own + delay).astype(np.int64)
        honest = _honest("program").executions[0]
        told = {"run_queue_ns": int(delay.sum()), "steal_ns": 0, "processes": 1}
        launch = honest.record.launch.model_copy(update=told)
        evidence = replace(
            honest,
            record=honest.record.model_copy(update={"launch": launch}),
            wall_ns=wall,
            cpu_ns=own.astype(np.int64),
            steady=detect(own),
            series="wall",
        )
        measured = float(np.median(wall[evidence.steady_part]))
        without = float(np.median(own[evidence.steady_part])) if course is level else truth
        return Doubted(evidence, truth, (min(without, measured), max(without, measured)))

    return simulate
