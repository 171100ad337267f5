"""Results of other tools. Each tool has an importer, and every importer returns a `ForeignResult`.

An importer is a module with three members: the tool's name, a flag that says whether its format was
seen in real output, and `read`, which yields the results in a text. `read` never raises because of
a text. The function `read` ignores the output of other tools. If a result is cut off, `read`
returns the part that is present.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from runfair.formats.foreign import (
    apache_bench,
    autocannon,
    bombardier,
    criterion,
    fortio,
    gatling,
    go_benchmark,
    google_benchmark,
    h2load,
    hey,
    histogram_log,
    hyperfine,
    jmeter,
    jmh,
    k6,
    locust,
    oha,
    percentile_spectrum,
    pyperf,
    rebench,
    techempower,
    vegeta,
    wrk,
    wrk2,
)
from runfair.formats.foreign.result import ForeignResult
from runfair.formats.foreign.source import Source


class Importer(Protocol):
    """The interface of an importer's module."""

    @property
    def TOOL(self) -> str: ...  # noqa: N802 - a module's constant
    @property
    def SEEN(self) -> bool: ...  # noqa: N802 - a module's constant

    def read(self, source: Source) -> Iterator[ForeignResult]: ...


IMPORTERS: tuple[Importer, ...] = (
    wrk,
    wrk2,
    vegeta,
    k6,
    oha,
    autocannon,
    fortio,
    h2load,
    hey,
    apache_bench,
    bombardier,
    jmeter,
    locust,
    gatling,
    techempower,
    histogram_log,
    percentile_spectrum,
    jmh,
    pyperf,
    hyperfine,
    google_benchmark,
    go_benchmark,
    criterion,
    rebench,
)


def recognise(text: str) -> tuple[ForeignResult, ...]:
    """All results in a text, of all known tools, in the order of the text."""
    source = Source.of(text)
    found = [result for each in IMPORTERS for result in each.read(source)]
    return tuple(sorted(found, key=lambda result: result.line))
