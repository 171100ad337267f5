"""The time to choose the next disturbed block of a large fleet's run.

From the repository: PYTHONPATH=lab:lab/tests python lab/benchmarks/fleet_repeats.py [EXECUTIONS]

The run is simulated (`fairness.fleet_run`): 1,000 hosts have carried out all blocks, and a tenth of
the blocks were disturbed. The first choice reads all records. Then a host repeats the chosen block,
and the next block is chosen. Goal: 50 ms for each choice but the first.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from evidence.records import SECOND
from fairness.fleet_run import FleetHost, written
from runfair.evidence.blocks import RecordedRepeats
from runfair.formats.execution import Execution
from runfair.formats.plan import PlannedExecution
from runfair.formats.run_folder import RunFolder

HOSTS = 1000
REPEATS = 200
DISTURBED = "0-"  # the end of the number of a disturbed benchmark, which begins the name of a cell
LOST = 0.5


def disturbed(one: Execution) -> Execution:
    """Other programs kept the executions of a block from their processor, if its benchmark was
    disturbed."""
    if one.block != 2 or one.cell[3:5] != DISTURBED:
        return one
    lost_ns = round(one.launch.wall_ns * LOST)
    launch = one.launch.model_copy(update={"run_queue_ns": lost_ns, "foreign_ns": lost_ns})
    return one.model_copy(update={"launch": launch})


def repeat(
    folder: RunFolder, block: list[PlannedExecution], first: dict[str, Execution], name: str
) -> None:
    """Records an undisturbed repeat of a block, on another host."""
    host = FleetHost(name, now_ns=10**6 * SECOND)
    for planned in block:
        update = {"id": f"{planned.id}.{planned.repeat + 1}", "repeat": planned.repeat}
        before = first[planned.id]
        record = host.carried_out(before.model_copy(update=update), before.iterations)
        folder.append(record)
        for reading in host.read_after(record):
            folder.append_reading(reading)


def main() -> None:
    executions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="fleet-repeats-") as scratch:
        folder = written(executions, Path(scratch), HOSTS, disturbed)
        plan = folder.plan()
        undisturbed = {one.planned: one for one in folder.attempts()}
        repeats = RecordedRepeats(folder, plan)
        spent_ms: list[float] = []
        cpu_ms: list[float] = []
        while len(spent_ms) <= REPEATS:
            began_ns, began_cpu_ns = time.monotonic_ns(), time.process_time_ns()
            block = repeats.next_block()
            spent_ms.append((time.monotonic_ns() - began_ns) / 1e6)
            cpu_ms.append((time.process_time_ns() - began_cpu_ns) / 1e6)
            if not block:
                break
            repeat(folder, block, undisturbed, f"again{len(spent_ms):03d}")
    for name, taken in (("by the clock", spent_ms), ("CPU time", cpu_ms)):
        first, *later = taken
        print(f"first, {name:<14}{first:9.1f} ms")
        print(f"later, {name:<14}{statistics.median(later):9.1f} ms{max(later):9.1f} ms at most")


if __name__ == "__main__":
    main()
