"""The interfaces of this host: every Linux host has at least loopback."""

from __future__ import annotations

import socket

from runfair.machine.interfaces import interface_addresses


def test_each_interface_has_an_address_to_listen_on() -> None:
    found = interface_addresses()
    assert found["lo"] == "127.0.0.1"
    for address in found.values():
        with socket.create_server((address, 0)) as server:
            assert server.getsockname()[0] == address
