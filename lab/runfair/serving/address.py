"""A service's address, the process that listens there, and ports on which none listens."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from runfair.errors import UserMistake
from runfair.formats.place import LOOPBACK
from runfair.machine.kernel_files import ROOT, read_text


@dataclass(frozen=True)
class Address:
    """The address of a service: a host, a port, and whether the service speaks TLS."""

    host: str
    port: int
    tls: bool = False

    @classmethod
    def of(cls, url: str) -> Address:
        parts = urlsplit(url)
        tls = parts.scheme == "https"
        return cls(parts.hostname or "", parts.port or (443 if tls else 80), tls)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.tls else ''}://{host}:{self.port}"

    def accepts(self, timeout_s: float) -> bool:
        """Whether a process accepts connections at this address."""
        try:
            socket.create_connection((self.host, self.port), timeout_s).close()
        except OSError:
            return False
        return True


def free_port() -> int:
    """A port on which no process listens now."""
    return free_ports(1)[0]


_FIRST_PORT = 12_000
_LAST_PORT = 65_535
_ATTEMPTS = 100


def free_ports(count: int, root: Path = ROOT) -> list[int]:
    """This number of consecutive ports on which no process listens now. The kernel gives ports from
    a range (ip(7), ip_local_port_range) to other processes at any time. The ports lie below this
    range if there is room. Raises UserMistake if it finds none."""
    given = read_text(root, "/proc/sys/net/ipv4/ip_local_port_range") or ""
    last = int(given.split()[0]) - count if given else _LAST_PORT
    if last < 2 * _FIRST_PORT:
        last = _LAST_PORT - count
    for _ in range(_ATTEMPTS):
        first = random.randint(_FIRST_PORT, last)
        ports = [*range(first, first + count)]
        with ExitStack() as held, suppress(OSError):
            for port in ports:
                held.enter_context(socket.create_server((LOOPBACK, port)))
            return ports
    raise UserMistake(f"no free port for a service found between {_FIRST_PORT} and {last}")


_LISTENS = "0A"  # TCP_LISTEN, as /proc/net/tcp writes it (proc_net(5))


def listener(host: str, port: int, root: Path = ROOT) -> int | None:
    """The process that listens on a port of loopback. None if there is no such process, if this
    user may not see it, or if the host is not an address of this machine.
    """
    if not _is_loopback(host):
        return None
    sockets = {f"socket:[{inode}]" for inode in _listening(port, root)}
    if not sockets:
        return None
    for process in (root / "proc").iterdir():
        if not process.name.isdigit():
            continue
        with suppress(OSError):  # the process has ended, or belongs to another user
            for descriptor in (process / "fd").iterdir():
                with suppress(OSError):
                    if str(descriptor.readlink()) in sockets:
                        return int(process.name)
    return None


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listening(port: int, root: Path) -> Iterator[str]:
    """The inodes of all sockets that listen on a port."""
    for table in ("proc/net/tcp", "proc/net/tcp6"):
        for line in (read_text(root, table) or "").splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                yield fields[9]
