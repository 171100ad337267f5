"""The process that listens on a port of this machine, and ports without such a process."""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.serving.address import free_ports, listener


def test_ourselves_and_nobody() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listener("127.0.0.1", port) == os.getpid()
        assert listener("localhost", port) == os.getpid()
        with socket.create_connection(("127.0.0.1", port)) as client:
            assert listener("127.0.0.1", client.getsockname()[1]) is None
    assert listener("127.0.0.1", port) is None


def test_the_port_of_another_machine_is_not_ours() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listener("192.0.2.1", port) is None
        assert listener("shop.example", port) is None


def test_free_ports_lie_below_those_that_the_kernel_gives_away(tmp_path: Path) -> None:
    given = tmp_path / "proc/sys/net/ipv4/ip_local_port_range"
    given.parent.mkdir(parents=True)
    given.write_text("24100\t60999\n")
    for _ in range(200):
        ports = free_ports(3, tmp_path)
        assert ports == [*range(ports[0], ports[0] + 3)]
        assert ports[0] >= 12_000 and ports[-1] < 24_100
    given.write_text("1024\t65535\n")
    assert max(free_ports(1, tmp_path)[0] for _ in range(100)) > 24_100


def test_a_port_in_use_is_not_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(random, "randint", lambda *_: port)
        with pytest.raises(UserMistake, match="no free port"):
            free_ports(1, tmp_path)
