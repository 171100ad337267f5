"""CPU time and memory of judging the records of a large fleet.

From the repository: PYTHONPATH=lab:lab/tests python lab/benchmarks/fleet_records.py [EXECUTIONS]

The run is simulated (`fairness.fleet_run`). It is written to a temporary folder as a run is, and
judged by a process of its own, from the records to the tables. Goal: 100,000 executions on 1,000
hosts within a minute of CPU time and 1 GiB. The exit status is 1 if the goal is missed.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import TypeVar

from fairness.fleet_run import written
from runfair.evidence.reading import evidence_of
from runfair.fairness.verdict import judge
from runfair.formats.run_folder import RunFolder
from runfair.report.markdown import markdown
from runfair.result.run import assemble

Made = TypeVar("Made")
HOSTS = 1_000
MOST_S, MOST_GIB = 60.0, 1.0


def cpu_s() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(name: str, make: Callable[[], Made]) -> Made:
    before_s = cpu_s()
    made = make()
    print(f"{name:<10}{cpu_s() - before_s:8.2f} s", flush=True)
    return made


def judged(path: Path) -> None:
    begun_s = cpu_s()
    evidence = timed("evidence", lambda: evidence_of(RunFolder(path)))
    verdicts = timed("verdicts", lambda: judge(evidence))
    result = timed("result", lambda: assemble("run", evidence, verdicts))
    timed("tables", lambda: markdown(result))
    taken_s, most_gib = cpu_s() - begun_s, getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{'all':<10}{taken_s:8.2f} s of CPU time")
    print(f"{'memory':<10}{most_gib:8.2f} GiB at most")
    if taken_s > MOST_S or most_gib > MOST_GIB:
        sys.exit(f"the goal is missed: {MOST_S:g} s of CPU time and {MOST_GIB:g} GiB")


def main() -> None:
    if sys.argv[1:2] == ["judge"]:
        judged(Path(sys.argv[2]))
        return
    executions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="fleet-records-") as scratch:
        folder = written(executions, Path(scratch), HOSTS)
        done = subprocess.run([sys.executable, __file__, "judge", str(folder.path)], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
