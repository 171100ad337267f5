"""The files of a private Slurm: one configuration for all hosts, and a key that others cannot
read."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.fleet.cluster_daemons import KEY_BYTES, NETWORK, SlurmFiles, host_names


def test_hosts_have_addresses_of_their_own_in_the_network() -> None:
    names = host_names(600)
    addresses = [ipaddress.ip_address(one.address) for one in names]
    assert len(set(addresses)) == 601
    network = ipaddress.ip_network(f"{NETWORK}.0.0/16")
    assert all(each in network for each in addresses)
    assert network.network_address not in addresses
    assert [one.name for one in names[:3]] == ["control", "host1", "host2"]


def test_files(tmp_path: Path) -> None:
    files = SlurmFiles(tmp_path / "cluster")
    files.write(host_names(2), 4, 1000)
    assert files.key.stat().st_mode & 0o777 == 0o400
    assert files.key.stat().st_size == KEY_BYTES
    text = files.configuration.read_text()
    assert "NodeName=host2 NodeAddr=10.77.0.4 CPUs=4 RealMemory=1000" in text
    assert "OverSubscribe=EXCLUSIVE" in text
    assert "10.77.0.3 host1\n" in files.host_table.read_text()
    paths = [line.rpartition("=")[2] for line in text.splitlines() if "=/" in line]
    assert len(paths) == 7
    assert [path for path in paths if not path.startswith(str(files.local))] == []


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/home/me/my runs", "contains ' '"),
        ("/srv/50%host", "contains '%'"),
        ("/srv/a,b", "contains ','"),
        ("/srv/a:b", "contains ':'"),
        (f"/srv/{'long' * 25}", "too long for a socket"),
    ],
)
def test_a_folder_that_slurm_cannot_use_is_one_line(path: str, problem: str) -> None:
    SlurmFiles(Path("/home/mé/.runfair-2/cluster")).require_path()
    with pytest.raises(UserMistake, match=f"{problem}.*set RUNFAIR_PRIVATE") as caught:
        SlurmFiles(Path(path)).require_path()
    assert "\n" not in str(caught.value)
