"""Executions of services, from the plan to the record."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from experiment.plans import host, plan
from loading.server import serving
from runfair.events.instrumentation import instrumentation
from runfair.formats.event import read_events
from runfair.formats.execution import Execution
from runfair.formats.plan import Cell, Effort, Factors, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import MAIN_LOAD, Objective, Readiness
from runfair.loading.generator import (
    LoadFiles,
    Session,
    generator,
    start,
)
from runfair.loading.load import Load
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher
from runfair.machine.place import Place
from runfair.machine.processors import Assignment
from runfair.serving import executor as executor_module
from runfair.serving.databases import Databases
from runfair.serving.executor import ServiceExecutor
from runfair.serving.measurement import MOST_PROBES, StartLoad
from runfair.serving.place_host import PlaceHosts
from serving.services import HASTY, MS, SERVICES, cell, faulty, found, point, timed

COLLECTING = """
import gc, runpy, sys
gc.collect()
sys.path.insert(0, {folder!r})
runpy.run_path({folder!r} + "/timed.py", run_name="__main__")
"""
EFFORT = Effort(executions=2, max_seconds=1, timeout_seconds=20, load_seconds=1, probe_seconds=0.5)


pytestmark = pytest.mark.usefixtures("load_generator")


def executor_of(launcher: Launcher, folder: Path, one: Cell) -> ServiceExecutor:
    whole = plan([one], [], effort=EFFORT)
    run = RunFolder.create(folder / "results", whole, host())
    raw = run.path / "raw"
    hosts = PlaceHosts(launcher, whole, raw)
    return ServiceExecutor(launcher, whole, run, host(), Databases(launcher, raw), hosts)


def execute(
    launcher: Launcher, folder: Path, one: Cell, start_load: StartLoad = start
) -> tuple[Execution, RunFolder]:
    executor = executor_of(launcher, folder, one)
    executor.start_load = start_load
    planned = PlannedExecution(id="00001", cell=one.id, role="block", block=1, position=0)
    execution = executor.execute(planned, one, 1, None)
    assert "\n" not in execution.outcome.reason
    executor.folder.append(execution)
    assert executor.folder.executions() == [execution]  # a record that can be read again
    return execution, executor.folder


def test_a_whole_life(launcher: Launcher, tmp_path: Path) -> None:
    asked = point(tmp_path, curve_per_s=[40, 80])
    execution, folder = execute(launcher, tmp_path, cell(tmp_path, timed("--each-ms", "1"), asked))
    assert execution.outcome.state == "completed"
    assert execution.launch.outcome.state == "ended_by_lab"
    served = execution.served
    assert served is not None
    assert [(one.name, one.good) for one in served.loads] == [
        (MAIN_LOAD, 100),
        ("curve-01", 20),
        ("curve-02", 40),
    ]
    assert served.start is not None
    assert served.start.first_answer_ns is not None
    assert served.start.first_answer_ns < served.loads[0].started_monotonic_ns
    assert execution.launch.wall_ns >= sum(one.elapsed_ns for one in served.loads)
    assert served.events == len(list(read_events(folder.events_file(execution.id))))
    assert served.address.startswith("http://127.0.0.1:")
    assert not served.ignored_stop
    usage = folder.usage(execution.id)
    assert usage[-1].cpu_ns <= execution.launch.cpu_ns + 20 * MS  # two of the kernel's ticks


def test_several_instances_are_one_service(launcher: Launcher, tmp_path: Path) -> None:
    asked = point(tmp_path, rate_per_s=200, curve_per_s=[80])
    collects = [sys.executable, "-c", COLLECTING.format(folder=str(SERVICES)), *timed()[2:]]
    one = cell(tmp_path, collects, asked, instances=2)
    execution, folder = execute(launcher, tmp_path, one)
    assert execution.outcome.state == "completed", execution.outcome.reason
    served = execution.served
    assert served is not None
    assert len(served.address.split()) == 2
    result = folder.load_result(execution.id, MAIN_LOAD)
    assert result is not None
    assert [each.url for each in result.targets] == served.address.split()
    assert [each.connections for each in result.targets] == [2, 2]
    assert sum(each.good for each in result.targets) == result.requests.good == 200
    assert execution.launch.processes == 2
    usage = folder.usage(execution.id)
    assert usage[-1].cpu_ns <= execution.launch.cpu_ns + 40 * MS  # ticks of two processes
    events = list(read_events(folder.events_file(execution.id)))
    assert {event.instance for event in events} == {1, 2}
    assert [event.started_ns for event in events] == sorted(event.started_ns for event in events)


def test_one_of_several_that_dies_ends_the_execution(launcher: Launcher, tmp_path: Path) -> None:
    execution, _ = execute(launcher, tmp_path, cell(tmp_path, faulty("dies"), instances=2))
    assert execution.outcome.state == "failed"
    assert " of 2: the service ended by itself: signal 6: the ledger is corrupt" in (
        execution.outcome.reason
    )
    assert execution.served is not None
    assert len(execution.served.loads) == 1


def test_each_way_to_fail_is_an_outcome(launcher: Launcher, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ways = {
            "in use": cell(tmp_path, timed(), port=port),
            "not ready within 0.3 s": cell(tmp_path, faulty("late"), ready=HASTY),
            "exit status 1: the configuration is missing": cell(tmp_path, faulty("ends")),
            "signal 6: the ledger is corrupt": cell(tmp_path, faulty("dies")),
            "exceeded its memory limit": cell(
                tmp_path, faulty("leaks"), factors=Factors(memory_limit_bytes=100 << 20)
            ),
        }
        executions = {}
        for number, (said, one) in enumerate(ways.items()):
            execution, _ = execute(launcher, tmp_path / str(number), one)
            assert execution.outcome.state == "failed"
            assert said in execution.outcome.reason
            executions[said] = execution
    states = [one.launch.outcome.state for one in executions.values()]
    assert states == ["not_started", "ended_by_lab", "exited", "signalled", "memory_exceeded"]
    kept = [len(one.served.loads) for one in executions.values() if one.served is not None]
    assert kept == [0, 0, 0, 1, 1]


def test_one_found_running_is_said_to_be(launcher: Launcher, tmp_path: Path) -> None:
    with serving() as server:
        one = found(tmp_path, server.url.removesuffix("/hello"))
        execution, folder = execute(launcher, tmp_path, one)
        assert server.requests == 101  # the question, and the load
    assert execution.outcome.state == "completed"
    assert execution.launch.outcome.state == "found_running"
    assert execution.served is not None
    assert execution.served.start is None
    assert folder.usage(execution.id)


def test_a_deaf_service_is_no_failure_and_told(launcher: Launcher, tmp_path: Path) -> None:
    execution, _ = execute(launcher, tmp_path, cell(tmp_path, faulty("deaf")))
    assert execution.outcome.state == "completed"
    assert execution.served is not None
    assert execution.served.ignored_stop


def test_the_whole_run_has_one_generator(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable, asked = generator(), []

    def counted() -> Path:
        asked.append(1)
        return executable

    monkeypatch.setattr(executor_module, "generator", counted)
    one = cell(tmp_path, faulty("ends"))
    executor = executor_of(launcher, tmp_path, one)
    planned = PlannedExecution(id="00001", cell=one.id, role="block", block=0, position=0)
    for attempt in (1, 2):
        executor.execute(planned, one, attempt, None)
    assert len(asked) == 1


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one processor for all")
@pytest.mark.parametrize("limitation", [None, "on the same core as what is measured"])
def test_the_load_generator_has_its_processor_to_itself(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limitation: str | None
) -> None:
    asked: list[Load] = []

    def heard(executable: Path, load: Load, files: LoadFiles) -> Session:
        asked.append(load)
        return start(executable, load, files)

    first, second = sorted(os.sched_getaffinity(0))[:2]
    spread = Assignment(measured=(second,), lab=(first, second), limitation=limitation)
    monkeypatch.setattr(Place, "assign", lambda _place, _wanted: spread)
    execute(launcher, tmp_path, cell(tmp_path, timed()), heard)
    assert {load.processors for load in asked} == {(first,)}
    assert {load.keep_awake for load in asked} == {limitation is None}
    assert os.sched_getaffinity(0) == {second}


def test_no_execution_is_cut_short_by_its_own_limit(launcher: Launcher, tmp_path: Path) -> None:
    def longest_s(**changes: object) -> float:
        asked = point(tmp_path, timeout_ns=2_000 * MS, **changes)
        one = cell(tmp_path, timed(), asked, ready=Readiness(timeout_ns=7_000 * MS))
        return executor_of(launcher, tmp_path, one).longest_s(one)

    alone, curve = longest_s(), longest_s(curve_per_s=[1, 2])
    assert alone >= 7 + EFFORT.load_seconds + 2
    assert curve - alone == pytest.approx(2 * (EFFORT.probe_seconds + 2))
    objective = Objective(percentile="p99", limit_ns=MS)
    searched = longest_s(capacity=True, objective=objective)
    assert searched - alone == pytest.approx(MOST_PROBES * (EFFORT.load_seconds + 2))
    one = cell(tmp_path, timed(), point(tmp_path, timeout_ns=2_000 * MS))
    slow = executor_of(launcher, tmp_path, one)
    before = slow.longest_s(one)
    slow.starting_s = 30
    assert slow.longest_s(one) - before == pytest.approx(2 * 30)


def test_only_runtimes_that_tell_have_events(launcher: Launcher, tmp_path: Path) -> None:
    assert instrumentation("cpython", tmp_path / "asked", clean_environment()) is not None
    told, _ = execute(launcher, tmp_path / "a", cell(tmp_path, faulty("well")))
    assert told.served is not None
    assert told.served.events is not None
    shell = ["sh", "-c", 'exec "$@"', "sh", *faulty("well")]
    untold, folder = execute(launcher, tmp_path / "b", cell(tmp_path, shell))
    assert untold.served is not None
    assert untold.served.events is None
    assert not folder.events_file(untold.id).exists()
