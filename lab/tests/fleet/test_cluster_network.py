"""The kernel delays, drops and limits packets as declared. Some kernels lack the means, so the
commands are not run here."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from runfair.errors import UserMistake
from runfair.fleet import cluster_network as module
from runfair.fleet.cluster_network import INSIDE, MOST_DELAYED, Impairment, impair, limit_rate

LINKS = [("control", "10.0.0.1", 11), ("host1", "10.0.0.2", 12), ("host2", "10.0.0.3", 13)]
DELAYED = [Impairment(), Impairment(delay_ns=20_000_000, loss=0.01), Impairment()]
ADD = f"tc qdisc add dev {INSIDE}"


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that would have been run, with the process of each host in front."""
    commands: list[str] = []

    def output(command: Sequence[str], _: str = "") -> str:
        assert command[:2] == ["nsenter", "--target"]
        assert command[3] == "--net"
        commands.append(" ".join([command[2], *command[4:]]))
        return ""

    monkeypatch.setattr(module, "_output", output)
    return commands


def test_netem_gets_the_delay_and_the_loss_of_each_host_but_the_first(ran: list[str]) -> None:
    assert impair(1, LINKS, DELAYED)
    netem = f"{ADD} root handle 1: netem limit {MOST_DELAYED}"
    assert ran == [
        f"12 {netem} delay 20000us loss 1.0000%",
        f"13 {netem} delay 0us loss 0.0000%",
    ]


@pytest.mark.parametrize(("after_netem", "place"), [(True, "parent 1:1"), (False, "root")])
def test_the_rate_is_limited_behind_netem(ran: list[str], after_netem: bool, place: str) -> None:
    limit_rate(LINKS, 10, after_netem=after_netem)
    limit = f"{ADD} {place} tbf rate 10000000bit burst 32kb latency 100ms"
    assert ran == [f"12 {limit}", f"13 {limit}"]


def test_a_kernel_without_a_token_bucket_filter_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuses(*_: object) -> str:
        raise UserMistake("Specified qdisc kind is unknown.")

    monkeypatch.setattr(module, "_output", refuses)
    with pytest.raises(UserMistake, match="--rate: this kernel lacks the token bucket filter"):
        limit_rate(LINKS, 10, after_netem=False)
