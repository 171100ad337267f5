"""Tests that the sockets of all servers have equal options. Linux shows a process's sockets to the
process that started it."""

from __future__ import annotations

import ctypes
import http.client
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from built_program import artefact_of, variant_of
from runfair.catalogue.service import service_benchmarks
from started_service import ServiceProgram, StartedService, members

SERVICE = service_benchmarks()["techempower"]
WITHOUT_BACKLOG = {"wizzardo-http"}  # it has no setting for the backlog
# More than the highest number of connections in an experiment.
FEWEST_WAITING = 511
SYS_PIDFD_GETFD = 438
SO_BUF_LOCK = 72  # whether the process has chosen the sizes of the buffers; since Linux 5.14
# struct tcp_info of linux/tcp.h: for a socket that listens, tcpi_sacked is the length of its queue.
TCPI_SACKED = 28


@pytest.mark.long
@pytest.mark.parametrize("framework", SERVICE.frameworks)
def test_socket_options_are_equal(framework: str, tmp_path: Path) -> None:
    found = SERVICE.framework(framework)
    artefact = artefact_of(variant_of(found), found.source)
    program = ServiceProgram.of("techempower", found.source.language, framework, artefact)
    options = ("host=127.0.0.1", "port=0", "workload=json", "seed=1", "threads=1", "connections=4")
    with program.started(StartedService, tmp_path / "said", *options) as service:
        with closing(http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)) as client:
            client.request("GET", "/json")
            assert b"Hello, World!" in client.getresponse().read()
            assert isinstance(client.sock, socket.socket)
            _, mine = client.sock.getsockname()
            ((delayed, fixed_buffers),) = {
                (
                    not one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY),
                    one.getsockopt(socket.SOL_SOCKET, SO_BUF_LOCK) != 0,
                )
                for one in sockets(service)
                if peer_port(one) == mine
            }
            waiting = [backlog(one) for one in sockets(service) if listens(one)]
        assert not delayed
        assert not fixed_buffers
        assert (min(waiting) < FEWEST_WAITING) == (framework in WITHOUT_BACKLOG)


def sockets(service: StartedService) -> Iterator[socket.socket]:
    """Duplicates of the TCP sockets on the service's port."""
    system_call = ctypes.CDLL(None).syscall
    for pid in members(service.process.pid):
        process = os.pidfd_open(pid)
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            duplicate = system_call(SYS_PIDFD_GETFD, process, int(entry.name), 0)
            if duplicate < 0:  # the process has closed it
                continue
            if not stat.S_ISSOCK(os.fstat(duplicate).st_mode):
                os.close(duplicate)
                continue
            with socket.socket(fileno=duplicate) as one:
                inet = one.family in (socket.AF_INET, socket.AF_INET6)
                if inet and one.getsockname()[1] == service.port:
                    yield one
        os.close(process)


def listens(one: socket.socket) -> bool:
    return bool(one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def peer_port(one: socket.socket) -> int | None:
    with suppress(OSError):  # it is not connected
        return int(one.getpeername()[1])
    return None


def backlog(one: socket.socket) -> int:
    """The number of connections that can wait until the service accepts them."""
    info = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCPI_SACKED + 4)
    (length,) = struct.unpack_from("=I", info, TCPI_SACKED)
    return int(length)
