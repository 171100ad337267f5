"""The Python half of the program contract for services (benchmarks/contract.md).

Options, the lines `start`, `ready` and `end`, worker processes, the end on SIGTERM. It stands
beside harness.py, whose benchmarks start without what is imported here.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from dataclasses import dataclass
from typing import Callable, Dict, Generic, List, Mapping, NoReturn, Sequence, Tuple, TypeVar

from harness.python.harness import (
    CONTRACT_VERSION,
    MOST_THREADS,
    Options,
    Output,
    UsageError,
    cpu_clock_resolution_ns,
    effective,
    integer,
    one_of,
    parse_options,
    processors,
    quoted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harness.python.harness import Json

Data = TypeVar("Data")

OPTIONS = (
    "--host",
    "--port",
    "--workload",
    "--size",
    "--seed",
    "--threads",
    "--input",
    "--param",
)
GREATEST_PORT = 65535
BACKLOG = 4096  # Linux's own limit (net.core.somaxconn)
SIGNALS = (signal.SIGTERM, signal.SIGCHLD)
READY = b"+"
MOST_SAID_BYTES = 4096  # PIPE_BUF: what a pipe takes at once


@dataclass(frozen=True)
class Worker:
    """One of the processes that share a listening socket, and what it is told."""

    index: int
    workers: int
    listening: socket.socket
    parameters: Mapping[str, str]

    def share(self, total: int) -> int:
        """Its part of what all workers have together; at least one."""
        return max(1, total // self.workers + (self.index < total % self.workers))


@dataclass(frozen=True)
class Service(Generic[Data]):
    """What the contract of a service fixes.

    `workloads` begin with what it does unless told; `parameters` are texts with their presets.
    `load` reads the inputs, once. `work` answers the requests of a worker's socket until SIGTERM,
    and calls its last argument when it is ready to. Both may raise UsageError. `processes` says
    that the threads asked for are worker processes; without, one worker starts its own threads,
    no more than `max_threads`.
    """

    name: str
    tier: str
    workloads: Sequence[str]
    parameters: Mapping[str, str]
    inputs: int
    load: Callable[[Options, Mapping[str, str]], Data]
    work: Callable[[Data, Worker, Callable[[], None]], None]
    processes: bool = True
    max_threads: int = MOST_THREADS


def serve(service: Service[Data]) -> NoReturn:
    """Carry out a service as its command line asks, and end the process."""
    try:
        status = _perform(service, sys.argv[1:])
    except UsageError as error:
        sys.stderr.write(f"{service.name}: {error}\n")
        status = 2
    sys.exit(status)


def _perform(service: Service[Data], words: Sequence[str]) -> int:
    host, port, parameters, options = _parse(service, words)
    output = Output()
    output.say("start", _start(service, options))
    data = service.load(options, parameters)
    listening = _listening(host, port)
    port = listening.getsockname()[1]

    def ready() -> None:
        output.say("ready", {"host": host, "port": port})
        output.flush()

    if options.threads == 1 or not service.processes:
        service.work(data, Worker(0, 1, listening, parameters), ready)
    else:
        workers = [
            Worker(index, options.threads, listening, parameters)
            for index in range(options.threads)
        ]
        status = _in_processes(service, data, workers, ready)
        if status != 0:
            return status
    output.say("end", {"iterations": 0})
    output.flush()
    return 0


def _in_processes(
    service: Service[Data], data: Data, workers: Sequence[Worker], ready: Callable[[], None]
) -> int:
    """The exit status: that of the first worker to end otherwise than it was told to."""
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    started = [_forked(service, data, worker) for worker in workers]
    said = [os.read(pipe, MOST_SAID_BYTES) for _, pipe in started]
    if all(words == READY for words in said):
        ready()
        # Until either told to stop, or a worker has ended although nobody told it to.
        signal.sigwait(SIGNALS)
    for process, _ in started:
        os.kill(process, signal.SIGTERM)
    ends = [os.waitpid(process, 0)[1] for process, _ in started]
    for words in said:
        if words not in (READY, b""):
            raise UsageError(words.decode())
    return next((abs(os.waitstatus_to_exitcode(end)) for end in ends if end != 0), 0)


def _forked(service: Service[Data], data: Data, worker: Worker) -> Tuple[int, int]:
    """The process, and the pipe by which it says that it is ready, or what the mistake is."""
    reading, writing = os.pipe()
    process = os.fork()
    if process != 0:
        os.close(writing)
        return process, reading
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    try:
        service.work(data, worker, lambda: _say(writing, READY))
    except UsageError as error:
        _say(writing, str(error).encode())
        sys.exit(2)
    sys.exit(0)


def _say(pipe: int, words: bytes) -> None:
    os.write(pipe, words[:MOST_SAID_BYTES])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        raise UsageError(
            f"--host {quoted(host)} --port {port} cannot be listened on: {error.strerror}"
        ) from error
    return listening


def _parse(
    service: Service[Data], words: Sequence[str]
) -> Tuple[str, int, Mapping[str, str], Options]:
    """Host, port, parameters and what a benchmark has as well. Raises UsageError."""
    host, port = "127.0.0.1", 0
    parameters: Dict[str, str] = dict(service.parameters)
    others: List[str] = ["--workload", service.workloads[0]]
    remaining = iter(words)
    for option in remaining:
        if option not in OPTIONS:
            raise UsageError(
                f"unknown option {quoted(option)}; the options are {', '.join(OPTIONS)}"
            )
        value = next(remaining, "--")
        if value.startswith("--"):
            raise UsageError(f"{option} needs a value after it")
        if option == "--host":
            host = value
        elif option == "--port":
            port = integer(value, 0, GREATEST_PORT, option)
        elif option == "--param":
            name, equals, written = value.partition("=")
            if not equals:
                raise UsageError(f"{option} takes NAME=VALUE, not {quoted(value)}")
            parameters[one_of(name, service.parameters, "parameter")] = written
        else:
            others += [option, value]
    return host, port, parameters, parse_options(others, service.workloads, {}, service.inputs)


def _start(service: Service[Data], options: Options) -> Mapping[str, Json]:
    return {
        "contract": CONTRACT_VERSION,
        "benchmark": service.name,
        "language": "python",
        "tier": service.tier,
        "workload": options.workload,
        "size": options.size,
        "seed": options.seed,
        "runtime": f"{sys.implementation.name} {' '.join(sys.version.split())}",
        "threads": min(options.threads, service.max_threads),
        "processors": processors(),
        "monotonic_ns": time.monotonic_ns(),
        "realtime_ns": time.time_ns(),
        "cpu_clock_resolution_ns": cpu_clock_resolution_ns(),
        "effective": effective(),
    }
