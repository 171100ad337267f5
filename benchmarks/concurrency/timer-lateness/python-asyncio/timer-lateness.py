"""The lateness of asyncio's timers while tasks compute: concurrency/timer-lateness/contract.md."""

from __future__ import annotations

import asyncio
import time

from harness.python.harness import MASK_64, Options, SplitMix64, main

from ..python.burners import Counts, Task, digest, draw

counts = Counts()


class Work(Task):
    """The work of an iteration."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.loop = asyncio.new_event_loop()

    async def burn_all(self) -> list[int]:
        """Start the ticker and the tasks that compute, or these and the timers, and wait."""
        self.burning = self.burners
        timing = [] if self.timers else [asyncio.create_task(self.tick(self.due_ns()))]
        running = [asyncio.create_task(self.burn(i)) for i in range(self.burners)]
        timing += [asyncio.create_task(self.fire(self.due_ns())) for _ in range(self.timers)]
        answer = [await task for task in running]
        for task in timing:
            await task
        return answer

    async def burn(self, i: int) -> int:
        """The exclusive or of a task's numbers."""
        counts.burners += 1  # tick
        random = SplitMix64((self.seed + i) & MASK_64)
        x = 0
        left = self.rounds
        while left >= self.yield_rounds:
            x ^= draw(random, self.yield_rounds, counts)
            left -= self.yield_rounds
            counts.yields += 1  # tick
            await asyncio.sleep(0)
        x ^= draw(random, left, counts)
        self.burning -= 1
        return x

    async def fire(self, due_ns: int) -> None:
        """A timer that fires once."""
        late_ns = -1
        while late_ns < 0:
            late_ns = await slept_until(due_ns) - due_ns
        self.lateness.record(late_ns)
        counts.timers += 1  # tick

    async def tick(self, due_ns: int) -> None:
        """Record the lateness of each tick, until all computing tasks have ended."""
        ended = False
        while not ended:
            seen_ns = await slept_until(due_ns)
            ended = self.burning == 0
            while due_ns <= seen_ns:
                self.lateness.record(seen_ns - due_ns)
                due_ns += self.period_ns


async def slept_until(due_ns: int) -> int:
    """Sleep, and return the time."""
    await asyncio.sleep(max(0, due_ns - time.monotonic_ns()) / 1e9)
    return time.monotonic_ns()


def prepare(work: Work) -> Work:
    return work


def run(work: Work) -> list[int]:
    return work.loop.run_until_complete(work.burn_all())


if __name__ == "__main__":
    main("timer-lateness", Work, prepare, run, digest, counts=counts, tier="asyncio")
