"""Processes that send to the process that started them."""

from __future__ import annotations

import multiprocessing
import selectors

from harness.python.harness import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

MOST_PROCESSES = 64
FORK = multiprocessing.get_context("fork")


def limit(asked: str, number: int, most: int = MOST_PROCESSES) -> None:
    """Raises UsageError if the options ask for more processes than a program may have."""
    if number > most:
        raise UsageError(f"{asked} are too many processes; ask for {most} at most")


class Process:
    """A process, and the end of the pipe through which it sends."""

    def __init__(
        self, perform: Callable[..., None], *arguments: object, daemon: bool = True
    ) -> None:
        """The last argument of `perform` is the end of the pipe to which it sends. A daemon can
        have no children, but the program can end if another process cannot be started or fails."""
        # No other process has the sending end, so the end of the process ends the pipe.
        self.receiver, sender = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=perform, args=(*arguments, sender), daemon=daemon)
        self.process.start()
        assert self.process.pid is not None  # the process has started
        self.pid = self.process.pid
        sender.close()

    def receive(self) -> Any:
        """The next message. Raises EOFError if the process ended without one."""
        return self.receiver.recv()

    def result(self) -> Any:
        """The last message, after which the process ends. Raises EOFError if there is none."""
        message = self.receive()
        self.join()
        return message

    def join(self) -> None:
        self.process.join()
        self.process.close()
        self.receiver.close()


def results(processes: Sequence[Process]) -> list[Any]:
    """The last message of each process, in the order of the processes. Raises EOFError as soon as
    a process has ended without one: if it was killed, others may wait for it for ever."""
    last: list[Any] = [None for _ in processes]
    with selectors.DefaultSelector() as silent:
        for number, process in enumerate(processes):
            silent.register(process.receiver, selectors.EVENT_READ, number)
        while silent.get_map():
            for key, _ in silent.select():
                last[key.data] = processes[key.data].receive()
                silent.unregister(key.fileobj)
    for process in processes:
        process.join()
    return last
