"""What collecting a runtime's events costs the program, and the lab: CPU time, in pairs.

    python lab/benchmarks/event_cost.py [PAIRS] [RUNTIME…]

Each runtime answers the same made-up requests (event_cost_programs) with and without
instrumentation, in mirrored order (with, without, without, with, …). Prints the ratio of CPU
times with its 95% interval over pairs (t on logs), events per second of CPU time, and the CPU time
of the lab's own thread that stamps lines. What starting costs, once, is taken off both and printed
by itself. The budget is 2%.
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from runfair.events.instrumentation import collect, instrumentation
from runfair.events.stamped_lines import StampedLines

STARTS = 7
PROGRAMS = Path(__file__).with_name("event_cost_programs")


@dataclass(frozen=True)
class Subject:
    """A runtime, its family, and a command that takes about 1 s."""

    family: str
    command: list[str]


@dataclass(frozen=True)
class Cost:
    program_cpu_s: float
    lab_cpu_s: float
    events: int


def subjects(folder: Path) -> dict[str, Subject]:
    """Those that are here, compiled."""
    found: dict[str, Subject] = {}
    python = str(PROGRAMS / "answers.py")
    found["cpython (Debian)"] = Subject("cpython", ["/usr/bin/python3", python, "250000"])
    if shutil.which("pypy3"):
        found["pypy"] = Subject("pypy", ["pypy3", python, "250000"])
    if shutil.which("node"):
        found["node"] = Subject("node", ["node", str(PROGRAMS / "answers.cjs"), "250000"])
    if shutil.which("go"):
        program = str(folder / "answers")
        subprocess.run(["go", "build", "-o", program, PROGRAMS / "answers.go"], check=True)
        found["go"] = Subject("go", [program, "150000"])
    if shutil.which("javac"):
        subprocess.run(["javac", "-d", folder, PROGRAMS / "Answers.java"], check=True)
        java = ["java", "-cp", str(folder)]
        found["jvm (G1)"] = Subject("openjdk", [*java, "-XX:+UseG1GC", "Answers", "700000"])
        found["jvm (Z)"] = Subject("openjdk", [*java, "-XX:+UseZGC", "Answers", "700000"])
    return found


def cost(subject: Subject, *, watched: bool) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder)
        asked = instrumentation(subject.family, events, os.environ) if watched else None
        environment = os.environ | (asked.environment if asked else {})
        stamped = None
        if asked is not None and asked.stderr is not None:
            stamped = StampedLines.of_fifo(asked.stderr, events / "stderr")
        before_s = cpu_s(resource.RUSAGE_CHILDREN)
        own_before_s = time.process_time()
        stderr = asked.stderr if asked and asked.stderr else Path(os.devnull)
        with stderr.open("wb") as errors:
            subprocess.run(
                subject.command,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                check=True,
            )
        own_s = time.process_time() - own_before_s
        program_s = cpu_s(resource.RUSAGE_CHILDREN) - before_s
        if stamped is not None:
            stamped.close()
        read = collect(subject.family, events, stamped).events if asked else ()
        return Cost(program_s, own_s, len(read))


def start_cpu_s(subject: Subject, *, watched: bool) -> float:
    """The least of several, as others on the machine only add to it."""
    return min(cost(subject, watched=watched).program_cpu_s for _ in range(STARTS))


def cpu_s(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    with tempfile.TemporaryDirectory() as folder:
        chosen = subjects(Path(folder))
        names = sys.argv[2:] or list(chosen)
        for name in names:
            subject = chosen[name]
            cost(subject, watched=False)  # files into the page cache
            starting = Subject(subject.family, [*subject.command[:-1], "1"])
            start_s = {on: start_cpu_s(starting, watched=on) for on in (True, False)}
            logs, watched, plain = [], [], []
            for pair in range(pairs):
                order = (True, False) if pair % 2 == 0 else (False, True)
                both = {on: cost(subject, watched=on) for on in order}
                watched.append(both[True])
                plain.append(both[False])
                loop_s = {on: both[on].program_cpu_s - start_s[on] for on in order}
                logs.append(math.log(loop_s[True] / loop_s[False]))
            half = student.ppf(0.975, pairs - 1) * np.std(logs, ddof=1) / math.sqrt(pairs)
            mean = float(np.mean(logs))
            cpu = float(np.median([one.program_cpu_s for one in plain]))
            rate = float(np.median([one.events / one.program_cpu_s for one in watched]))
            lab = float(np.median([one.lab_cpu_s for one in watched])) - float(
                np.median([one.lab_cpu_s for one in plain])
            )
            print(
                f"{name:18} {cpu:6.2f} s  {math.expm1(mean):+7.2%}"
                f"  [{math.expm1(mean - half):+.2%}, {math.expm1(mean + half):+.2%}]"
                f"  {rate:8.0f} events/s  lab {lab / cpu:+.2%}"
                f"  start {(start_s[True] - start_s[False]) * 1e3:+.0f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
