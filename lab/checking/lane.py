"""Lanes: steps that run one after another. Several lanes run side by side."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from checking.step import Counted, Step
from runfair.serving.process_files import read_children

ENDING_LIMIT_S = 10.0  # time for an interrupted step to clean up


@dataclass(frozen=True)
class Lane:
    """Steps that run one after another. A lane that `gives_way` gets a processor only while no
    other process needs it (SCHED_IDLE). Compilers therefore do not delay the tests that run at the
    same time.
    """

    steps: tuple[Step, ...]
    gives_way: bool = False

    def only(self, word: str) -> Lane:
        """The lane with only those steps whose names contain the word."""
        return Lane(tuple(step for step in self.steps if word in step.name), self.gives_way)


# Lanes that run side by side. A stage begins when the previous stage has ended.
Stage = Sequence[Lane]


@dataclass(frozen=True)
class Finished:
    """A step that has ended, with its whole output."""

    name: str
    counted: Counted
    took_s: float
    printed: str


class SideBySide:
    """Runs each lane in a thread. Iterating yields the steps in the order in which they end. An
    exception in a step or in the caller ends every lane.
    """

    def __init__(self, lanes: Stage) -> None:
        self._ended: queue.SimpleQueue[Finished | Exception | None] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._follow, args=(lane,), daemon=True) for lane in lanes
        ]

    def __enter__(self) -> Iterator[Finished]:
        for thread in self._threads:
            thread.start()
        return self._finished()

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        if self._running():
            _send(signal.SIGINT, read_children(os.getpid()))
            self._wait()
        if self._running():
            _send(signal.SIGKILL, _descendants(os.getpid()))
            self._wait()

    def _running(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

    def _wait(self) -> None:
        until = time.monotonic() + ENDING_LIMIT_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _finished(self) -> Iterator[Finished]:
        running = len(self._threads)
        while running:
            one = self._ended.get()
            if isinstance(one, Exception):
                raise one
            if one is None:
                running -= 1
            else:
                yield one

    def _follow(self, lane: Lane) -> None:
        try:
            if lane.gives_way:
                # This sets the policy of this thread only, and of the processes that it starts.
                os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            for step in lane.steps:
                if self._stopped.is_set():
                    return
                self._ended.put(carried_out(step))
            self._ended.put(None)
        except Exception as error:  # noqa: BLE001 - raised again in the thread that iterates
            self._ended.put(error)


def carried_out(step: Step) -> Finished:
    """Runs the step and stores its output, so that the outputs of steps that run at the same time
    are not mixed.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        began = time.monotonic()
        counted = step.run(output)
        took_s = time.monotonic() - began
        output.seek(0)
        return Finished(step.name, counted, took_s, output.read())


def _send(number: signal.Signals, pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _descendants(pid: int) -> list[int]:
    children = read_children(pid)
    return [*children, *(below for child in children for below in _descendants(child))]
