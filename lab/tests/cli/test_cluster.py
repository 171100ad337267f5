"""What `cluster status` shows of a running cluster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from runfair.cli import cluster as module
from runfair.cli.cluster import Action, cluster
from runfair.errors import UserMistake
from runfair.fleet.cluster_state import (
    ClusterHost,
    ClusterState,
    Declared,
    Process,
    boot_id,
    cluster_folder,
)
from runfair.fleet.slurm import NO_ANSWER
from runfair.fleet.slurm_answer import SlurmError


class Silent:
    """A Slurm that does not answer."""

    def nodes(self) -> None:
        raise SlurmError(f"sinfo: {NO_ANSWER}")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"loss": "100%"}, "--loss 100%: no packet would arrive"),
        ({"loss": "0.01"}, "--loss 0.01: this is not a percentage"),
        ({"delay_from": 1}, "--delay-from 1: give the number of a host"),
        ({"delay": "20ms", "delay_from": 4}, "the number of a host, from 1 to 3"),
    ],
)
def test_a_link_that_cannot_be_declared(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UserMistake, match=told):
        cluster(Action.start, **options)


def test_a_declared_link_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Declared] = []

    def start(declared: Declared, _: object) -> None:
        asked.append(declared)
        raise UserMistake("only asked")

    monkeypatch.setattr(module, "start", start)
    with pytest.raises(UserMistake, match="only asked"):
        cluster(Action.start, delay="20ms", delay_from=1, loss="1%")
    (declared,) = asked
    assert [declared.delay_of(number) for number in range(3)] == [0, 20_000_000, 0]
    assert [declared.loss_of(number) for number in range(3)] == [0.0, 0.01, 0.01]


def test_a_cluster_is_stopped_by_root_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    cluster(Action.stop)
    assert capsys.readouterr().out == "no cluster is running\n"
    cluster_folder().mkdir()
    with pytest.raises(UserMistake, match="run the command as root"):
        cluster(Action.stop)
    assert cluster_folder().exists()


def test_hosts_of_a_slurm_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = Process.of(os.getpid())
    gone = Process(pid=own.pid, started_ticks=own.started_ticks + 1)
    hosts = {"control": own, "host1": own, "host2": gone}
    state = ClusterState(
        boot_id=boot_id(),
        declared=Declared(hosts=2),
        holder=own,
        hosts=[
            ClusterHost(name=name, address="10.77.0.2", holder=one) for name, one in hosts.items()
        ],
        shared_processors=False,
    )
    monkeypatch.setattr(module, "read_state", lambda _: state)
    monkeypatch.setattr(module, "slurm_of", lambda _: Silent())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    cluster(Action.status)
    printed = capsys.readouterr()
    states = {
        line.split()[0]: line.split()[2] for line in printed.out.splitlines() if "10.77" in line
    }
    assert states == {"control": "controller", "host1": "unknown", "host2": "ended"}
    assert NO_ANSWER in " ".join(printed.err.split())
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UserMistake, match="run the command as root"):
        cluster(Action.status)
