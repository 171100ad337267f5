"""Who listens on a port of this machine."""

from __future__ import annotations

import os
import socket

from runfair.serving.address import listener


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
