"""Python's half of the program contract (benchmarks/contract.md), for CPython from 3.8 and PyPy.

json, argparse and dataclasses are not imported: each would add 5 to 10 ms to start-up, which is
measured.
"""

from __future__ import annotations

import os
import resource
import select
import sys
import time

from harness.python.effective import effective, processors

TYPE_CHECKING = False  # typing's own constant would need the import of typing
if TYPE_CHECKING:
    from typing import Any, Callable, MutableSequence, NoReturn

    from harness.python.recorder import Recorder

WRITE_INTERVAL_NS = 100_000_000  # the contract's "at most ten times a second"
MASK_64 = 2**64 - 1
FNV_OFFSET = 0xCBF29CE484222325
ESCAPES = {**{code: f"\\u{code:04x}" for code in range(32)}, ord('"'): '\\"', ord("\\"): "\\\\"}


class UsageError(Exception):
    """A mistake of the user. The message is one line that says what to do; the exit status is 2."""


class Options(dict):  # type: ignore[type-arg]  # dict[str, str], but for 3.8
    """The options of the command line, each of the form NAME=VALUE. The lab has checked them."""

    def __init__(self, benchmark: str) -> None:
        super().__init__(word.split("=", 1) for word in sys.argv[1:])
        self.benchmark = benchmark
        self.recorders: dict[str, Recorder] = {}

    def __missing__(self, name: str) -> NoReturn:
        command = f"./runfair exec {self.benchmark} --print"
        raise UsageError(f"option {name}=VALUE is missing; {command} shows a whole command")

    def recorder(self, distribution: str) -> Recorder:
        from harness.python.recorder import Recorder  # noqa: PLC0415 - start-up is measured

        return self.recorders.setdefault(distribution, Recorder(self["samples"], distribution))

    def __enter__(self) -> Options:
        return self

    def __exit__(self, _kind: object, mistake: object, _trace: object) -> None:
        if isinstance(mistake, UsageError):
            sys.stderr.write(f"{self.benchmark}: {mistake}\n")
            sys.exit(2)


def main(
    name: str, *steps: Callable[[Any], Any], counts: object, tier: str = "", max_threads: int = 1
) -> None:
    """Carry out the steps of the contract: load, prepare, run and digest. `counts` has the
    counters."""
    load, prepare, run, digest = steps

    def iterate(index: int, work: object) -> None:
        for recorder in options.recorders.values():
            recorder.begin(index)
        before = dict(vars(counts))
        started_ns = time.monotonic_ns()
        cpu_started_ns = cpu_clock_ns()
        result = run(work)
        cpu_ns = cpu_clock_ns() - cpu_started_ns
        wall_ns = time.monotonic_ns() - started_ns
        times = {"started_monotonic_ns": started_ns, "wall_ns": wall_ns, "cpu_ns": cpu_ns}
        samples = {name: recorder.samples() for name, recorder in options.recorders.items()}
        told = {"digest": f"{digest(result):016x}", **({"samples": samples} if samples else {})}
        output.add("iteration", index=index, **times, **told)
        if "count" in options:
            counted = {name: value - before[name] for name, value in vars(counts).items()}
            output.add("operations", counters=counted)

    with Options(name) as options:
        output = Output(options, tier, min(int(options["threads"]), max_threads))
        iterations, limit_s = int(options["iterations"]), float(options.get("seconds", "inf"))
        if "lines" in options:
            from harness.python.lines import observed  # noqa: PLC0415 - no timed code knows of it

            iterations, run = 1, observed(run, options["lines"])
        state = load(options)
        done, ended = 0, False
        while not ended:
            output.flush(WRITE_INTERVAL_NS)
            iterate(done, prepare(state))  # frees this work before the next is prepared
            done += 1
            ended = done == iterations or (iterations == 0 and input_ended())
            ended = ended or time.monotonic_ns() - output.started_ns >= limit_s * 1e9
        output.add("end", iterations=done)
        output.flush()


def cpu_clock_ns() -> int:
    """User and system time of the process's threads and of its reaped children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time_ns() + round((children.ru_utime + children.ru_stime) * 1e9)


def input_ended() -> bool:
    """Return, without waiting, whether standard input has ended."""
    while sys.stdin is not None and select.select([0], [], [], 0)[0]:
        if not os.read(0, 4096):
            return True
    return sys.stdin is None  # closed before the process began


class Output:
    """The lines for standard output, beginning with `start`. The lines are kept until they must be
    written."""

    def __init__(self, options: Options, tier: str, threads: int) -> None:
        self.lines: list[str] = []
        self.written_ns, self.started_ns = 0, time.monotonic_ns()
        clocks = {"monotonic_ns": self.started_ns, "realtime_ns": time.time_ns()}
        clocks["cpu_clock_resolution_ns"] = 1  # time.process_time is CLOCK_PROCESS_CPUTIME_ID
        runtime = f"{sys.implementation.name} {' '.join(sys.version.split())}"
        who = {"benchmark": options.benchmark, "language": "python", "tier": tier or "standard"}
        force = {"threads": threads, "processors": processors(), "effective": effective()}
        self.add("start", contract=2, **who, runtime=runtime, **clocks, **force)

    def add(self, event: str, **members: object) -> None:
        self.lines.append(json({"event": event, **members}) + "\n")

    def flush(self, interval_ns: int = 0) -> None:
        """Write the lines if the last write was long enough ago."""
        if time.monotonic_ns() - self.written_ns >= interval_ns:
            sys.stdout.buffer.write("".join(self.lines).encode())
            sys.stdout.buffer.flush()
            self.lines.clear()
            self.written_ns = time.monotonic_ns()


def json(value: object) -> str:
    """Format a text, a number, a boolean, a list of numbers or a dictionary as JSON."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(str(name))}:{json(value[name])}" for name in value) + "}"
    return quoted(value) if isinstance(value, str) else repr(value).lower()  # True is true


def quoted(text: str) -> str:
    """Quote a text as in JSON, so that a message with this text remains one line."""
    return f'"{text.translate(ESCAPES)}"'


def read_input(path: str) -> bytes:
    """Read an input file. Raises UsageError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"input {quoted(path)} cannot be read: {error.strerror}") from error


class SplitMix64:
    """SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""

    __slots__ = ("state",)

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK_64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK_64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK_64
        return z ^ (z >> 31)

    def bounded(self, n: int) -> int:
        return (self.next() >> 32) % n

    def shuffle(self, elements: MutableSequence[Any]) -> None:
        for i in range(len(elements) - 1, 0, -1):
            j = self.bounded(i + 1)
            elements[i], elements[j] = elements[j], elements[i]


def fnv1a(data: bytes, digest: int = FNV_OFFSET) -> int:
    """The 64-bit FNV-1a digest. `digest` is the digest of the bytes before these, if there were
    any."""
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 & MASK_64
    return digest
