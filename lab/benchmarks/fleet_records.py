"""CPU time and memory of judging the records of a large fleet.

From the repository: PYTHONPATH=lab:lab/tests python lab/benchmarks/fleet_records.py [EXECUTIONS]

The run is simulated (`fairness.fleet_run`). It is written to a temporary folder as a run is, and
judged by a process of its own, from the records to the tables. Budget: 100,000 executions within a
minute of CPU time and 1 GiB.
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
    print(f"{'all':<10}{cpu_s() - begun_s:8.2f} s of CPU time")
    print(f"{'memory':<10}{getrusage(RUSAGE_SELF).ru_maxrss / 2**20:8.2f} GiB at most")


def main() -> None:
    if sys.argv[1:2] == ["judge"]:
        judged(Path(sys.argv[2]))
        return
    executions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="fleet-records-") as scratch:
        folder = written(executions, Path(scratch))
        subprocess.run([sys.executable, __file__, "judge", str(folder.path)], check=True)


if __name__ == "__main__":
    main()
