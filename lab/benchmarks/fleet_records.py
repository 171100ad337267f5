"""CPU time and memory of judging the records of a large fleet.

From the repository: PYTHONPATH=lab:lab/tests python lab/benchmarks/fleet_records.py [EXECUTIONS]

The run is simulated: 12 cells a benchmark, six executions a cell of 20 iterations each, whose
blocks a hundred hosts took in turn. It is written to a temporary folder as a run is, and judged by
a process of its own. Budget: 100,000 executions within a minute and 1 GiB.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from evidence.records import Records
from fairness.large_run import large_run
from runfair.evidence.reading import evidence_of
from runfair.fairness.verdict import judge
from runfair.formats.run_folder import RunFolder
from runfair.result.run import assemble

CELLS_A_BENCHMARK = 12
EXECUTIONS_A_CELL = 6
ITERATIONS = 20
HOSTS = 100
Made = TypeVar("Made")


def written(run: Records, results: Path) -> RunFolder:
    """The run on disk. Records are not synced one by one, which a real run takes its time for."""
    names = [f"host{number:03d}" for number in range(HOSTS)]
    folder = RunFolder.create(results, run.plan, run.host.model_copy(update={"name": names[0]}))
    for name in names:
        host = run.host.model_copy(update={"name": name})
        folder.host_file(name).write_text(host.model_dump_json())
    groups = {cell.id: cell.group for cell in run.plan.cells}
    hosts: dict[object, str] = {}
    with folder.executions_file.open("w") as file:
        for record in run.executions:
            wall_ns, cpu_ns = (each[-ITERATIONS:].tolist() for each in run.series[record.id])
            block = (record.block, groups[record.cell])
            taken_by = hosts.setdefault(block, names[len(hosts) % HOSTS])
            own = {"host": taken_by, "iterations": len(wall_ns)}
            file.write(record.model_copy(update=own).model_dump_json() + "\n")
            lines = [
                json.dumps({"event": "iteration", "index": index, "wall_ns": wall, "cpu_ns": cpu})
                for index, (wall, cpu) in enumerate(zip(wall_ns, cpu_ns, strict=True))
            ]
            folder.iterations_file(record.id).write_text("".join(f"{one}\n" for one in lines))
    return folder


def timed(name: str, make: Callable[[], Made]) -> Made:
    before_ns = time.process_time_ns()
    made = make()
    print(f"{name:<10}{(time.process_time_ns() - before_ns) / 1e9:8.2f} s", flush=True)
    return made


def judged(path: Path) -> None:
    begun_ns = time.process_time_ns()
    evidence = timed("evidence", lambda: evidence_of(RunFolder(path)))
    verdicts = timed("verdicts", lambda: judge(evidence))
    timed("result", lambda: assemble("run", evidence, verdicts))
    print(f"{'all':<10}{(time.process_time_ns() - begun_ns) / 1e9:8.2f} s of CPU time")
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{'memory':<10}{peak_bytes / 2**30:8.2f} GiB at most")


def main() -> None:
    if sys.argv[1:2] == ["judge"]:
        judged(Path(sys.argv[2]))
        return
    executions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    run = large_run(-(-executions // (CELLS_A_BENCHMARK * EXECUTIONS_A_CELL)))
    print(f"{len(run.plan.cells):,} cells, {len(run.executions):,} executions", flush=True)
    with tempfile.TemporaryDirectory(prefix="fleet-records-") as scratch:
        folder = written(run, Path(scratch))
        subprocess.run([sys.executable, __file__, "judge", str(folder.path)], check=True)


if __name__ == "__main__":
    main()
