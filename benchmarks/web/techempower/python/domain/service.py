"""The words of the tests, and the settings of a service."""

from __future__ import annotations

import os
from typing import List, NamedTuple

from harness.python.harness import Options
from web.techempower.python.domain.database import require_reachable

GREETING = "Hello, World!"
# As behind a load balancer, the time is longer than clients keep an idle connection. The servers'
# defaults are 5 to 30.
KEEP_ALIVE_S = 75
STOP_LIMIT_S = 4  # the contract's 5, minus the time for ending the process


class Settings(NamedTuple):
    """The database's URL (empty if there is no database), and the number of connections of each
    worker process."""

    url: str
    connections: List[int]


def load(options: Options) -> Settings:
    url = os.environ.get("DATABASE_URL", "")
    if url:
        require_reachable(url)
    workers = int(options["threads"])
    share, left = divmod(int(options["connections"]), workers)
    return Settings(url, [max(1, share + (n < left)) for n in range(workers)])
