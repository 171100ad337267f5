"""`machines.toml`: what is accepted, and what is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.fleet.machines import read_machines, require_hosts, slurm_target_text
from runfair.fleet.slurm import Node
from runfair.formats.machines import LOCAL_MACHINES, HostRole, Machines, Needs

SLURM = 'engine = "slurm"\npartition = "p"\n'


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "machines.toml"
    path.write_text(text)
    return path


def node(name: str, processors: int = 8, features: tuple[str, ...] = ()) -> Node:
    return Node(name, "IDLE", (), "", processors, 1000, features, ("p",))


def machines(hosts: int, **needs: object) -> Machines:
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
            "[roles.generator]\n[roles.database]\n[roles.lab]\n",
        )
    )
    assert found.roles["service"].hosts == 4
    assert [*found.roles] == ["service", "generator", "database", "lab"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('engine = "ssh"\n', r"machines\.toml:1: engine: Input should be 'local' or 'slurm'"),
        ('engine = "slurm"\n', 'engine = "slurm" needs a partition'),
        ('partition = "p"\n', 'partition needs engine = "slurm"'),
        (SLURM, r"\[roles\.service\] is missing"),
        (SLURM + "[roles.client]\n", "roles.client"),
        (SLURM + "[roles.service]\nhosts = 0\n", "machines.toml:4: roles.service.hosts"),
        (SLURM + "[roles.service]\nnodes = 2\n", "only load generators can share their work"),
        (SLURM + "[roles.service]\n[roles.generator]\nnodes = 65\n", "roles.generator.nodes"),
        (SLURM + "[roles.service]\nhost = 2\n", "machines.toml:4: roles.service.host: Extra"),
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


def test_a_partition_that_can_never_do() -> None:
    require_hosts(machines(2), [node("a"), node("b")])
    with pytest.raises(UserMistake, match="service needs 3 hosts, but only 2 of the 2 nodes"):
        require_hosts(machines(3), [node("a"), node("b")])
    with pytest.raises(
        UserMistake, match=r"a lacks feature epyc, 16 processors \(the node has 8\)"
    ):
        require_hosts(machines(1, features=["epyc"], processors=16), [node("a")])
    shared = machines(1).model_copy(update={"roles": {"generator": Needs(hosts=2, nodes=2)}})
    with pytest.raises(UserMistake, match="generator needs 4 hosts, but only 2 of the 2 nodes"):
        require_hosts(shared, [node("a"), node("b")])
    both = machines(1).model_copy(update={"roles": {"service": Needs(), "database": Needs()}})
    with pytest.raises(
        UserMistake, match=("the roles together need 2 hosts, but there are only 1 nodes")
    ):
        require_hosts(both, [node("a")])


def test_the_file_of_a_cluster_is_read_again(tmp_path: Path) -> None:
    roles: dict[HostRole, int] = {"service": 3, "database": 1}
    text = slurm_target_text(["nsenter", "--target", "7"], "measure", roles, 2)
    found = read_machines(written(tmp_path, text))
    assert found.enter == ["nsenter", "--target", "7"]
    assert (found.partition, found.roles["service"]) == ("measure", Needs(hosts=3, processors=2))
    assert found.roles["database"] == Needs(hosts=1, processors=2)
