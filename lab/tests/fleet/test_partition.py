"""What `list machines` says of each node of a partition."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from evidence.honest_run import honest_run
from fleet.fake_slurm import FakeSlurm
from runfair.errors import UserMistake
from runfair.fleet.partition import NOT_CALIBRATED, keep, known_hosts, machine_entries
from runfair.formats.host import KnownHost
from runfair.formats.machines import LOCAL_MACHINES, Machines, Needs
from runfair.formats.variant import Entry
from runfair.paths import private_folder

NODES = ("host1", "host2", "host3")


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    """The three recorded nodes, of which the second is drained."""
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    enter = FakeSlurm(tmp_path).slurm.enter
    roles = {"service": Needs()}
    return Machines(engine="slurm", enter=[*enter], partition="measure", roles=roles)


def known(slower: float = 0.0, missing: tuple[str, ...] = (), **changes: object) -> KnownHost:
    like = honest_run().host
    assert like.calibration is not None
    calibration = like.calibration.model_copy(
        update={
            "reference_ns": round(like.calibration.reference_ns * (1 + slower)),
            "realtime_ns": time.time_ns() - 2 * 3600 * 10**9,
        }
    )
    own = {"calibration": calibration, **changes}
    return KnownHost(host=like.model_copy(update=own), missing_runtimes=[*missing])


def details(machines: Machines) -> dict[str, list[str]]:
    return {one.name: one.detail.split("; ") for one in machine_entries(machines)}


def entry(machines: Machines, name: str) -> Entry:
    return next(one for one in machine_entries(machines) if one.name == name)


def test_nodes_that_were_never_calibrated(machines: Machines) -> None:
    found = details(machines)
    assert [*found] == [*NODES]
    assert all(NOT_CALIBRATED in one for one in found.values())
    assert entry(machines, "host1").state == "ready"
    assert entry(machines, "host2").state == "missing"
    assert "idle drain (fan broken)" in found["host2"]


def test_a_node_that_lacks_what_a_role_needs(machines: Machines) -> None:
    more = machines.model_copy(update={"roles": {"service": Needs(processors=64)}})
    found = entry(more, "host1")
    assert found.state == "missing"
    assert "lacks for service: 64 processors (the node has 1)" in found.detail


def test_hosts_that_are_alike_show_their_noise(machines: Machines) -> None:
    for name in NODES:
        keep(name, known())
    for told in details(machines).values():
        assert told[-1] == ("noise floor 0.3% of CPU time, 0.8% of wall time, calibrated 2 h ago")


def test_a_host_that_is_slower_or_has_another_processor_is_named(machines: Machines) -> None:
    keep("host1", known())
    keep("host2", known())
    keep("host3", known(slower=0.2, processor_model="another"))
    found = details(machines)
    assert found["host3"][-2:] == [
        "this node differs from most nodes (processor another, not a processor",
        "the reference loop is 20% slower)",
    ]
    assert not any("differs" in one for name in NODES[:2] for one in found[name])


def test_the_runtimes_that_a_host_lacks_are_named(machines: Machines) -> None:
    keep("host1", known(missing=("node-20", "temurin-25")))
    found = details(machines)
    assert "lacks the runtimes node-20, temurin-25" in found["host1"]
    assert not any("runtimes" in one for one in found["host3"])


@pytest.mark.usefixtures("machines")
def test_what_another_version_kept_is_as_good_as_nothing() -> None:
    keep("host1", known())
    assert [*known_hosts(NODES)] == ["host1"]
    (private_folder() / "hosts" / "host1.json").write_text('{"schema_version": 2}')
    assert known_hosts(NODES) == {}


def test_this_machine_has_no_partition() -> None:
    with pytest.raises(UserMistake, match="add --machines FILE"):
        machine_entries(LOCAL_MACHINES)
