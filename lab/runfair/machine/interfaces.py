"""The network interfaces of this host."""

from __future__ import annotations

import fcntl
import socket
import struct
from contextlib import suppress

_GET_ADDRESS = 0x8915  # SIOCGIFADDR (netdevice(7))
_REQUEST = struct.Struct("16s24s")  # struct ifreq: the interface's name, and a union
_ADDRESS = slice(20, 24)  # sin_addr of the sockaddr_in in that union


def interface_addresses() -> dict[str, str]:
    """The first IPv4 address of each interface that has one."""
    found = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # the interface has no address
                request = _REQUEST.pack(name.encode(), b"")
                answer = fcntl.ioctl(asked, _GET_ADDRESS, request)
                found[name] = socket.inet_ntoa(answer[_ADDRESS])
    return found
