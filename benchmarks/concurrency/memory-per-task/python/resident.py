"""The resident memory of the process."""

from __future__ import annotations


def resident_bytes() -> int:
    with open("/proc/self/smaps_rollup", encoding="ascii", errors="replace") as rollup:
        [kibibytes] = [int(line.split()[1]) for line in rollup if line.startswith("Rss:")]
    return kibibytes * 1024
