"""What collecting a runtime's events costs the program, and the lab: CPU time, in pairs.

    python lab/benchmarks/event_cost.py [PAIRS] [RUNTIME…]

Each runtime answers the same made-up requests (event_cost_programs) with and without
instrumentation, in mirrored order (with, without, without, with, …), on a processor of its own.
Prints the ratio of CPU times with its 95% interval over pairs, events per second of CPU time, and
the CPU time of the lab's own thread that stamps lines. What it costs once, to start and until the
code that tells of events is compiled, is taken off and printed by itself: each is run with a fifth
of the requests as well, and what the other four fifths took is compared. The budget is 2%: `within`
where the whole interval lies below it, `beyond` where it lies above, else `?`.

Others on the machine lengthen single executions, now this and now that one of a pair: so pairs are
many and short (about a second), their middle is Hodges and Lehmann's (the median of all means of
two), and its interval is that of Wilcoxon's signed ranks, which a few such pairs do not widen.
"""

from __future__ import annotations

import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from checking.signed_ranks import middle
from runfair.events.instrumentation import collect, instrumentation
from runfair.events.stamped_stream import StampedStream
from runfair.machine.processors import assign

ONCE_SHARE = 5
PAIRS = 40
BUDGET = 0.02
PROGRAMS = Path(__file__).with_name("event_cost_programs")


@dataclass(frozen=True)
class Subject:
    """A runtime's family, a command, and how many requests keep it busy for about a second."""

    family: str
    command: list[str]
    requests: int


@dataclass(frozen=True)
class Cost:
    program_cpu_s: float
    lab_cpu_s: float
    events: int


def subjects(folder: Path) -> dict[str, Subject]:
    """Those that are here, compiled."""
    found: dict[str, Subject] = {}
    python = str(PROGRAMS / "answers.py")
    found["cpython (Debian)"] = Subject("cpython", ["/usr/bin/python3", python], 200_000)
    if shutil.which("pypy3"):
        found["pypy"] = Subject("pypy", ["pypy3", python], 250_000)
    if shutil.which("node"):
        found["node"] = Subject("node", ["node", str(PROGRAMS / "answers.cjs")], 250_000)
    if shutil.which("go"):
        program = str(folder / "answers")
        subprocess.run(["go", "build", "-o", program, PROGRAMS / "answers.go"], check=True)
        found["go"] = Subject("go", [program], 150_000)
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", folder, PROGRAMS / "Answers.java"], check=True)
        java = ["java", "-cp", str(folder)]
        found["jvm (G1)"] = Subject("openjdk", [*java, "-XX:+UseG1GC", "Answers"], 700_000)
        found["jvm (Z)"] = Subject("openjdk", [*java, "-XX:+UseZGC", "Answers"], 700_000)
    return found


def cost(subject: Subject, requests: int, *, watched: bool) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder)
        asked = instrumentation(subject.family, events, os.environ) if watched else None
        environment = os.environ | (asked.environment if asked else {})
        stamped = None
        if asked is not None and asked.stderr is not None:
            stamped = StampedStream.of_fifo(
                asked.stderr, events / "stderr", stamps=events / "stderr.stamps"
            )
        before_s = cpu_s(resource.RUSAGE_CHILDREN)
        own_before_s = time.process_time()
        stderr = asked.stderr if asked and asked.stderr else Path(os.devnull)
        with stderr.open("wb") as errors:
            with measured_processor():
                program = subprocess.Popen(
                    [*subject.command, str(requests)],
                    env=environment,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                )
            if program.wait() != 0:
                raise SystemExit(f"{' '.join(subject.command)}: status {program.returncode}")
        own_s = time.process_time() - own_before_s
        program_s = cpu_s(resource.RUSAGE_CHILDREN) - before_s
        if stamped is not None:
            stamped.close()
        read = collect(subject.family, events, stamped).events if asked else ()
        return Cost(program_s, own_s, len(read))


@contextmanager
def measured_processor() -> Iterator[None]:
    """What this thread starts meanwhile stays off the lab's processors."""
    assignment = assign(1)
    os.sched_setaffinity(0, assignment.measured)
    try:
        yield
    finally:
        os.sched_setaffinity(0, assignment.lab)


def cpu_s(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    with tempfile.TemporaryDirectory() as folder:
        chosen = subjects(Path(folder))
        names = sys.argv[2:] or list(chosen)
        for name in names:
            subject = chosen[name]
            few, all_of_them = subject.requests // ONCE_SHARE, subject.requests
            cost(subject, few, watched=False)  # files into the page cache
            logs, once, watched, plain = [], [], [], []
            for pair in range(pairs):
                order = (True, False) if pair % 2 == 0 else (False, True)
                early = {on: cost(subject, few, watched=on) for on in order}
                whole = {on: cost(subject, all_of_them, watched=on) for on in order}
                watched.append(whole[True])
                plain.append(whole[False])
                later_s = {on: whole[on].program_cpu_s - early[on].program_cpu_s for on in order}
                logs.append(math.log(later_s[True] / later_s[False]))
                once.append(early[True].program_cpu_s - early[False].program_cpu_s)
            found = middle(logs)
            ratio, low, high = map(math.expm1, (found.value, found.low, found.high))
            state = "within" if high < BUDGET else "beyond" if low > BUDGET else "?"
            cpu = float(np.median([one.program_cpu_s for one in plain]))
            rate = float(np.median([one.events / one.program_cpu_s for one in watched]))
            lab = float(np.median([one.lab_cpu_s for one in watched])) - float(
                np.median([one.lab_cpu_s for one in plain])
            )
            print(
                f"{name:18} {cpu:6.2f} s  {ratio:+7.2%}  [{low:+.2%}, {high:+.2%}]  {state:6}"
                f"  {rate:8.0f} events/s  lab {lab / cpu:+.2%}"
                f"  once {np.median(once) * 1e3:+.0f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
