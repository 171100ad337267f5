"""Executions of services on other hosts. A host is this one, behind a launcher and at another
address of loopback."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from experiment.plans import host, plan
from runfair.formats.execution import Execution
from runfair.formats.place import LOCAL, Clock, DeclaredPlace, Location
from runfair.formats.plan import Cell, Effort, Factors, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import MAIN_LOAD
from runfair.machine.launching import Launcher
from runfair.serving.databases import Databases
from runfair.serving.executor import ServiceExecutor
from runfair.serving.place_host import PlaceHosts
from serving.services import MS, cell, timed

EFFORT = Effort(executions=2, max_seconds=1, timeout_seconds=20, load_seconds=1, probe_seconds=0.5)


pytestmark = pytest.mark.usefixtures("load_generator")


def execute(
    launcher: Launcher,
    folder: Path,
    one: Cell,
    addresses: dict[str, str],
    clocks: Mapping[str, Clock] | None = None,
) -> tuple[Execution, RunFolder]:
    """Executes a service in places with these addresses, whose clocks are measured if they are not
    given."""
    places = {
        name: DeclaredPlace(
            host=f"host of {name}",
            launcher=["env", f"PLACE={name}"],
            address=address,
            clock=(clocks or {}).get(name, "measured"),
        )
        for name, address in addresses.items()
    }
    own = DeclaredPlace(address="127.0.0.2")
    whole = plan([one], [], effort=EFFORT, places={**places, LOCAL: own})
    run = RunFolder.create(folder / "results", whole, host())
    raw = run.path / "raw"
    planned = PlannedExecution(id="00001", cell=one.id, role="block", block=1, position=0)
    _, *further = places
    with PlaceHosts(launcher, whole, raw) as hosts:
        executor = ServiceExecutor(
            launcher,
            whole,
            run,
            host(),
            Databases(launcher, raw),
            hosts,
            generator_place=Location(name="generator"),
            generator_host="here",
            further={name: host(name=f"described {name}", boot_id=name) for name in further},
        )
        execution = executor.execute(planned, one, 1, None)
    run.append(execution)
    assert run.executions() == [execution]
    return execution, run


def test_a_service_on_another_host_is_recorded_with_its_network(
    launcher: Launcher, tmp_path: Path
) -> None:
    one = cell(tmp_path, timed(), factors=Factors(place="service"))
    execution, run = execute(launcher, tmp_path, one, {"service": "127.0.0.1"})
    assert execution.outcome.state == "completed", execution.outcome.reason
    assert execution.place.name == "service"
    assert abs(execution.place.clock.offset_ns) <= execution.place.clock.uncertainty_ns
    served = execution.served
    assert served is not None
    assert served.usage == execution.place
    assert {each.place.name for each in served.loads} == {"generator"}
    assert served.network is not None
    assert served.network.hosts == {"generator": "here", "service": "host of service"}
    assert [(each.sender, each.receiver) for each in served.network.links] == [
        ("generator", "service"),
        ("service", "generator"),
    ]
    assert {each.place for each in served.network.traffic} == {"generator", "service"}
    assert served.network.joint == []
    assert served.hosts == []
    assert served.start is not None
    assert served.start.first_answer_ns is not None
    assert served.start.process_ns < served.start.first_answer_ns
    # The use is that of the service, and not that of its launcher.
    usage = run.usage(execution.id)
    assert {each.of for each in usage} == {"service"}
    assert 0 < usage[-1].cpu_ns <= execution.launch.cpu_ns + 20 * MS
    began_ns = served.loads[0].started_monotonic_ns
    assert usage[-1].monotonic_ns > began_ns


TWO = {"service": "127.0.0.1", "service-2": "127.0.0.3"}


def test_a_service_on_two_hosts_is_loaded_as_one(launcher: Launcher, tmp_path: Path) -> None:
    factors = Factors(place="service", hosts=2)
    one = cell(tmp_path, timed("--host", "{host}"), factors=factors, instances=2)
    execution, run = execute(launcher, tmp_path, one, TWO)
    assert execution.outcome.state == "completed", execution.outcome.reason
    served = execution.served
    assert served is not None
    result = run.load_result(execution.id, MAIN_LOAD)
    assert result is not None
    # Each host has an address of its own, and half of the connections.
    urls = [each.url for each in result.targets]
    assert [url.rpartition(":")[0] for url in urls] == ["http://127.0.0.1", "http://127.0.0.3"]
    assert urls == served.address.split()
    assert [each.connections for each in result.targets] == [2, 2]
    assert min(each.good for each in result.targets) > 0
    assert sum(each.good for each in result.targets) == result.requests.good == 100

    first, second = served.hosts
    assert [each.host for each in served.hosts] == ["host", "described service-2"]
    assert [each.addresses for each in served.hosts] == [[url] for url in urls]
    assert [each.place.name for each in served.hosts] == [*TWO]
    assert second.boot_id == "service-2"
    for added in ("cpu_ns", "peak_tree_bytes", "processes", "voluntary_switches"):
        each = [getattr(one.launch, added) for one in served.hosts]
        assert min(each) > 0
        assert getattr(execution.launch, added) == sum(each)
    assert execution.processors == first.launch.processors
    assert [one.host for one in execution.by_host] == ["host", "described service-2"]
    assert [one.launch for one in execution.by_host] == [first.launch, second.launch]
    uncertain_ns = [each.place.clock.uncertainty_ns for each in served.hosts]
    assert execution.place.clock.uncertainty_ns == max(uncertain_ns)
    # The kernel may not permit counting here. If it does, it counts on each host.
    counted = [each.system_calls for each in served.hosts]
    if served.system_calls is not None:
        each = [one.read for one in counted if one is not None]
        assert min(each) > 0
        assert served.system_calls.read == sum(each)
        assert {one.requests for one in counted if one} == {served.system_calls.requests}
        assert len(each) == len(counted)
    # The use is that of both hosts.
    usage = run.usage(execution.id)
    assert {each.of for each in usage} == {"service"}
    assert usage[-1].cpu_ns > max(each.launch.cpu_ns for each in served.hosts)

    network = served.network
    assert network is not None
    assert network.hosts == {
        "generator": "here",
        "service": "host of service",
        "service-2": "host of service-2",
    }
    assert {(each.sender, each.receiver) for each in network.links} == {
        *(("generator", name) for name in TWO),
        *((name, "generator") for name in TWO),
    }
    assert {each.place for each in network.traffic} == {*network.hosts}
    assert [each.place for each in network.joint] == ["generator"]


def test_the_accounting_of_two_hosts_is_on_the_clock_of_the_first(
    launcher: Launcher, tmp_path: Path
) -> None:
    factors = Factors(place="service", hosts=2)
    one = cell(tmp_path, timed("--host", "{host}"), factors=factors, instances=2)
    shift_ns = 10**12
    clocks = {"service": Clock(), "service-2": Clock(offset_ns=shift_ns, uncertainty_ns=7)}
    execution, _ = execute(launcher, tmp_path, one, TWO, clocks)
    assert execution.outcome.state == "completed", execution.outcome.reason
    served = execution.served
    assert served is not None
    _, second = (each.launch for each in served.hosts)
    # The second host started the service, by its clock, long before the first.
    assert execution.launch.started_monotonic_ns == second.started_monotonic_ns - shift_ns
    assert execution.launch.wall_ns > shift_ns - 10**11
    # What is timed by either clock is as uncertain as the worse of both.
    assert (execution.place.name, execution.place.clock) == ("service", Clock(uncertainty_ns=7))
    assert served.usage.name == "service-2"


def test_the_host_of_a_service_that_dies_is_named(launcher: Launcher, tmp_path: Path) -> None:
    factors = Factors(place="service", hosts=2)
    only_first = ["sh", "-c", 'test "$1" = 127.0.0.1 || exit 7; shift; exec "$@"', "sh", "{host}"]
    command = [*only_first, *timed("--host", "{host}")]
    one = cell(tmp_path, command, factors=factors, instances=2)
    execution, _ = execute(launcher, tmp_path, one, TWO)
    assert execution.outcome.reason.startswith(
        "instance 2 of 2 on host of service-2: the service ended by itself: exit status 7"
    )
    assert execution.launch.outcome.exit_status == 7
    assert execution.served is not None
    states = [one.launch.outcome.state for one in execution.served.hosts]
    assert states == ["ended_by_lab", "exited"]
