"""Runs a service (benchmarks/contract.md), from reading its options to its end."""

from __future__ import annotations

import socket
from functools import partial
from typing import Any, Callable

from harness.python.harness import Options, Output, UsageError, quoted
from harness.services.python.workers import Counters, in_processes

BACKLOG = 4096  # Linux's own limit (net.core.somaxconn)


def serve(
    name: str,
    load: Callable[[Options], Any],
    work: Callable[[Any, socket.socket, Callable[[], None], int], Counters],
    tier: str = "",
    processes: bool = False,
    max_threads: int = 2**31 - 1,
) -> None:
    """Run a service as its command line states, and end the process.

    `work` answers the requests of a socket until SIGTERM, and returns its counts. The function
    `work` calls its third argument when it is ready. If `processes` is set, it runs in several
    numbered processes, otherwise in one process that starts its own threads.
    """
    with Options(name) as options:
        host, port, threads = options["host"], int(options["port"]), int(options["threads"])
        output = Output(options, tier, min(threads, max_threads))
        data = load(options)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
        except OSError as error:
            where = f"host {quoted(host)} port {port}"
            raise UsageError(f"{where} cannot be listened on: {error.strerror}") from error

        bound = listening.getsockname()[1]  # `work` may close the socket and listen by itself

        def ready() -> None:
            output.add("ready", host=host, port=bound)
            output.flush()

        if processes and threads > 1:
            counters = in_processes(partial(work, data, listening), threads, ready)
        else:
            counters = work(data, listening, ready, 0)
        if "count" in options and counters is not None:
            output.add("operations", counters=dict(counters))
        output.add("end", iterations=0)
        output.flush()
