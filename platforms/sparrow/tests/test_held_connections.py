"""The memory of held connections: the server's PSS from 1,000 to 10,000 of them."""

from __future__ import annotations

import re
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import linear_regression
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Served

STEP = 1_000
MOST = 10_000
MOST_BYTES = 4 << 10  # of user-space memory for a connection
OTHER_FILES = 100
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SERVER = """
import { serve } from 'sparrow:http';
const limits = { idleMs: 600000 };
console.log(serve({ port: 0, limits }, (request) => `hello ${request.path}`).port);
"""


@contextmanager
def many_files() -> Iterator[None]:
    """Raises the limit of open files, also for the server."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = MOST + OTHER_FILES
    if before[1] != resource.RLIM_INFINITY and before[1] < needed:
        pytest.skip(f"the limit of open files (ulimit -Hn) is below {needed}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], needed), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def pss_bytes(pid: int) -> int:
    found = re.search(r"^Pss:\s+(\d+) kB", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M)
    assert found is not None
    return int(found[1]) << 10


@pytest.mark.long
def test_a_held_connection_takes_at_most_4_kib(request: pytest.FixtureRequest) -> None:
    """Each connection is held after one request."""
    with many_files(), ExitStack() as held:
        serve: Callable[[str], Served] = request.getfixturevalue("serve")
        served = serve(SERVER)
        points: list[tuple[int, int]] = []
        for count in range(1, MOST + 1):
            connection = held.enter_context(served.connect())
            connection.sendall(REQUEST)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
            if count % STEP == 0:
                points.append((count, pss_bytes(served.process.pid)))
        slope = linear_regression(*zip(*points, strict=True)).slope
        print(*(f"{count} connections: {size >> 10} KiB" for count, size in points), sep="\n")
        print(f"{slope:.0f} bytes for each connection")
        assert slope <= MOST_BYTES
