"""A service whose latency is known by construction.

timed.py --port PORT [--host HOST] [--each-ms MS] [--slow-ms MS --slow-every N] [--pause-ms MS]
         [--one-worker]

Every request takes `each-ms`, every Nth `slow-ms`; once a second nothing is answered for
`pause-ms`. With `--one-worker` they are worked on one after another, so that its capacity is the
inverse of `each-ms`; otherwise at the same time. The instants of answers are reckoned from arrivals
and not from one another's sleeps: a machine that is late makes single answers late, and no others.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from services.answering import response, serve
else:  # a script finds what lies beside it by that name
    from answering import response, serve


PAUSED_EVERY_S = 1.0


class Work:
    """When what arrives is done."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._requests = 0
        self._free_s = 0.0

    async def answer(self, _path: str) -> bytes:
        arrived_s = time.monotonic()
        self._requests += 1
        done_s = self._done_s(self._unpaused_s(arrived_s))
        await asyncio.sleep(done_s - arrived_s)
        return response()

    def _unpaused_s(self, at_s: float) -> float:
        """The end of the pause that lies at this instant, or the instant itself."""
        into_s = at_s % PAUSED_EVERY_S
        pause_s: float = self._options.pause_ms / 1e3
        return at_s + max(0.0, pause_s - into_s)

    def _done_s(self, begun_s: float) -> float:
        options = self._options
        slow = options.slow_every and self._requests % options.slow_every == 0
        takes_s: float = (options.slow_ms if slow else options.each_ms) / 1e3
        if options.one_worker:
            begun_s = max(begun_s, self._free_s)
            self._free_s = begun_s + takes_s
        return begun_s + takes_s


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--each-ms", type=float, default=0.0)
    parser.add_argument("--slow-ms", type=float, default=0.0)
    parser.add_argument("--slow-every", type=int, default=0)
    parser.add_argument("--pause-ms", type=float, default=0.0)
    parser.add_argument("--one-worker", action="store_true")
    options = parser.parse_args()
    serve(options.port, Work(options).answer, options.host)


if __name__ == "__main__":
    main()
