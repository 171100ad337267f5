"""What the tiers have in common: options, and the empty store that they ask for."""

from __future__ import annotations

import sys
from typing import Callable, Mapping

from harness.python.harness import MOST_THREADS, Options, integer
from harness.python.service import Service, Worker

from .store import CountingStore, Store

CLASSIC_ROWS = 1024
Work = Callable[[Store, Worker, Callable[[], None]], None]


def service(tier: str, work: Work, max_threads: int = MOST_THREADS) -> Service[Store]:
    return Service(
        name="key-value",
        tier=tier,
        workloads=("spread", "classic", "capped"),
        parameters={
            "keys": "500",
            "value_bytes": "64",
            "rows": "0",
            "capacity_bytes": "0",
            "count": "0",
            "addresses": "0",
        },
        inputs=0,
        load=load,
        work=work,
        processes=False,
        max_threads=max_threads,
    )


def load(options: Options, parameters: Mapping[str, str]) -> Store:
    def parameter(name: str, least: int, most: int) -> int:
        return integer(parameters[name], least, most, f"--param {name}")

    keys = parameter("keys", 1, 1 << 20)
    value_bytes = parameter("value_bytes", 1, 1_000_000)
    rows = parameter("rows", 0, 1 << 20)
    capacity_bytes = parameter("capacity_bytes", 0, 2**31 - 1)
    count = parameter("count", 0, 1)
    addresses = parameter("addresses", 0, 1)
    if rows == 0:
        rows = power_of_two(keys) if options.workload == "spread" else CLASSIC_ROWS
    if capacity_bytes == 0 and options.workload == "capped":
        capacity_bytes = max(1, keys * value_bytes * 3 // 4)
    # Elsewhere id() is no address.
    tells_addresses = bool(addresses) and sys.implementation.name == "cpython"
    return (CountingStore if count else Store)(rows, capacity_bytes, tells_addresses)


def power_of_two(least: int) -> int:
    """Give the smallest power of two that is at least so many."""
    return 1 << (least - 1).bit_length()
