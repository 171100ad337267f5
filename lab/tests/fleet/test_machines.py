"""`machines.toml`: what is accepted, and what is refused in one line.

What `list machines` says of each node of a partition.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from evidence.honest_run import honest_run
from fleet.fake_slurm import FakeSlurm
from runfair.errors import UserMistake
from runfair.fleet.machines import (
    NOT_CALIBRATED,
    keep,
    known_hosts,
    least_processors,
    machine_entries,
    read_machines,
    require_hosts,
    slurm_target_text,
)
from runfair.fleet.slurm import Slurm
from runfair.fleet.slurm_answer import Node
from runfair.formats.host import KnownHost
from runfair.formats.machines import LOCAL_MACHINES, HostRole, Machines, Needs
from runfair.formats.variant import Entry
from runfair.paths import private_folder

SLURM = 'engine = "slurm"\npartition = "p"\n'


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "machines.toml"
    path.write_text(text)
    return path


def node(name: str, processors: int = 8, features: tuple[str, ...] = ()) -> Node:
    return Node(name, "IDLE", (), "", processors, 1000, features, ("p",))


def machines_with(hosts: int, **needs: object) -> Machines:
    role = Needs.model_validate({"hosts": hosts, **needs})
    return Machines(engine="slurm", partition="p", roles={"service": role})


def test_this_machine_is_the_default(tmp_path: Path) -> None:
    assert read_machines(None) == LOCAL_MACHINES
    assert read_machines(written(tmp_path, "")) == LOCAL_MACHINES


def test_all_that_can_be_said(tmp_path: Path) -> None:
    found = read_machines(
        written(
            tmp_path,
            SLURM + 'account = "a"\nqos = "q"\nreservation = "r"\ntime_limit_min = 90\n'
            '[roles.service]\nhosts = 4\nfeatures = ["epyc"]\nprocessors = 2\nmemory_mib = 10\n'
            '[roles.generator]\n[roles.database]\n[roles.lab]\nnode = "m1"\n',
        )
    )
    assert found.roles["service"].hosts == 4
    assert [*found.roles] == ["service", "generator", "database", "lab"]
    assert [*found.requested] == ["service", "generator", "database"]
    assert found.lab_node == "m1"
    assert Machines.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('engine = "ssh"\n', r"machines\.toml:1: engine: Input should be 'local' or 'slurm'"),
        ('engine = "slurm"\n', 'engine = "slurm" needs a partition'),
        ('partition = "p"\n', 'partition needs engine = "slurm"'),
        (SLURM, r"\[roles\.service\] is missing"),
        (SLURM + "[roles.client]\n", "roles.client"),
        (SLURM + "[roles.service]\nhosts = 0\n", "machines.toml:4: roles.service.hosts"),
        (
            SLURM + "[roles.service]\n[roles.database]\nnodes = 2\n",
            "only the roles generator and service can use several",
        ),
        (SLURM + "[roles.service]\n[roles.generator]\nnodes = 65\n", "roles.generator.nodes"),
        (SLURM + "[roles.service]\n[roles.lab]\n", r"\[roles.lab\] must state only the key `node`"),
        (
            SLURM + '[roles.service]\n[roles.lab]\nnode = "m1"\nhosts = 2\n',
            r"\[roles.lab\] must state only the key `node`",
        ),
        (SLURM + '[roles.service]\nnode = "m1"\n', r"\[roles.service\] has `node`"),
        (
            SLURM + '[roles.service]\nfeatures = ["ib", "epyc|xeon"]\n',
            r"machines.toml:4: roles.service.features.1: 'epyc\|xeon' is not the name of a single",
        ),
        (
            SLURM + "[roles.service]\nhost = 2\n",
            "machines.toml:4: roles.service.host: there is no such key",
        ),
        ('engine = "slurm"\npartition = "p; rm"\n', "machines.toml:2: partition"),
        ("engine = \n", r"machines\.toml:1: the line is malformed TOML"),
    ],
)
def test_mistakes_name_file_line_and_key(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(UserMistake, match=problem) as caught:
        read_machines(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="cannot be read"):
        read_machines(tmp_path / "none.toml")


def require_all(machines: Machines, nodes: Sequence[Node]) -> None:
    require_hosts(machines, nodes, machines.requested)


def test_a_partition_that_can_never_do() -> None:
    require_all(machines_with(2), [node("a"), node("b")])
    with pytest.raises(UserMistake, match="service needs 3 hosts, but only 2 of the 2 nodes"):
        require_all(machines_with(3), [node("a"), node("b")])
    with pytest.raises(
        UserMistake, match=r"a lacks feature epyc, 16 processors \(the node has 8\)"
    ):
        require_all(machines_with(1, features=["epyc"], processors=16), [node("a")])
    shared = machines_with(1).model_copy(update={"roles": {"generator": Needs(hosts=2, nodes=2)}})
    with pytest.raises(UserMistake, match="generator needs 4 hosts, but only 2 of the 2 nodes"):
        require_all(shared, [node("a"), node("b")])
    both = machines_with(1).model_copy(update={"roles": {"service": Needs(), "database": Needs()}})
    with pytest.raises(
        UserMistake, match=("the roles together need 2 hosts, but there are only 1 nodes")
    ):
        require_all(both, [node("a")])


def test_only_the_needs_of_these_roles_count() -> None:
    roles: dict[HostRole, Needs] = {"service": Needs(), "database": Needs(features=["nvme"])}
    both = machines_with(1).model_copy(update={"roles": roles})
    require_hosts(both, [node("a")], ["service"])
    with pytest.raises(UserMistake, match="a lacks feature nvme"):
        require_hosts(both, [node("a")], ["service", "database"])


def test_the_smallest_node_that_may_be_chosen_has_the_least_processors() -> None:
    nodes = [node("a", processors=8), node("b", processors=4), node("c", processors=2)]
    assert least_processors(machines_with(1), nodes) == 2
    assert least_processors(machines_with(1, processors=3), nodes) == 4
    assert least_processors(with_lab(machines_with(1), "c"), nodes) == 4
    with pytest.raises(UserMistake, match="no node meets the requirements of the role service"):
        least_processors(machines_with(1, processors=16), nodes)  # since they were last looked at


def with_lab(machines: Machines, node: str) -> Machines:
    return machines.model_copy(update={"roles": {**machines.roles, "lab": Needs(node=node)}})


def test_the_node_of_the_lab_gets_no_other_role() -> None:
    nodes = [node("a"), node("b")]
    require_all(with_lab(machines_with(1), "b"), nodes)
    with pytest.raises(
        UserMistake, match=r"service needs 2 hosts, but only 1 of the 1 nodes .* lab's node b$"
    ):
        require_all(with_lab(machines_with(2), "b"), nodes)
    with pytest.raises(UserMistake, match="service needs 1 hosts, but only 0 of the 0 nodes"):
        require_all(with_lab(machines_with(1), "a"), nodes[:1])
    with pytest.raises(UserMistake, match=r"there is no node c, which \[roles.lab\] names"):
        require_all(with_lab(machines_with(1), "c"), nodes)


def test_the_file_of_a_cluster_is_read_again(tmp_path: Path) -> None:
    roles: dict[HostRole, int] = {"service": 3, "database": 1}
    text = slurm_target_text(["nsenter", "--target", "7"], "measure", roles, 2)
    found = read_machines(written(tmp_path, text))
    assert found.enter == ["nsenter", "--target", "7"]
    assert (found.partition, found.roles["service"]) == ("measure", Needs(hosts=3, processors=2))
    assert found.roles["database"] == Needs(hosts=1, processors=2)


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


def test_an_interface_that_a_host_lacks_is_named(machines: Machines) -> None:
    wired = machines.model_copy(update={"roles": {"service": Needs(interface="eth1")}})
    keep("host1", known())
    keep("host3", known().model_copy(update={"addresses": {"eth1": "10.0.0.3"}}))
    lacks = "lacks for service: the interface eth1 with an IPv4 address"
    found = details(wired)
    assert {name: lacks in one for name, one in found.items()} == {
        "host1": True,
        "host2": False,  # it never described itself
        "host3": False,
    }
    assert entry(wired, "host1").state == "missing"


def test_a_node_of_another_kind_is_named(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = [
        Node(name, "IDLE", (), "", processors, 1000, (), ("measure",))
        for name, processors in (("host1", 8), ("host2", 8), ("host3", 16))
    ]
    monkeypatch.setattr(Slurm, "nodes", lambda *_: nodes)
    found = details(machines)
    differs = "Slurm describes this node differently"
    assert {name for name in NODES if any(differs in one for one in found[name])} == {"host3"}


def test_the_node_of_the_lab_is_named(machines: Machines) -> None:
    found = details(with_lab(machines, "host3"))
    (told,) = [one for one in found["host3"] if "itself runs here" in one]
    assert told == "./runfair itself runs here, so this node gets no other role"
    assert not any("itself runs here" in one for one in found["host1"])


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
