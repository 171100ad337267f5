"""The CPU time of a pass of the load generator over a server."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from runfair.experiment.program_executor import environment_of
from runfair.formats.plan import Cell, Drive
from runfair.loading.generator import generator
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.processors import Assignment
from runfair.serving.driven_executor import Passes
from runfair.serving.instance import Instance, ServiceFailed, Surroundings
from runfair.serving.pass_client import PassFailed, client_of
from runfair.serving.process_accounting import TreeAccounting

SERVER_LIMIT_S = 120.0


class ServerFailed(Exception):
    """A server gave a wrong answer, or did not start or end as it should."""


def pass_cpu_ns(cell: Cell, drive: Drive, assignment: Assignment, seconds: float) -> float:
    """The median CPU time of a pass in the second half of one execution, which makes passes for
    `seconds`. Raises ServerFailed.
    """
    load_generator = generator()  # built before the server's time limit begins
    with tempfile.TemporaryDirectory(prefix="runfair-passes-") as scratch:
        surroundings = Surroundings(
            launcher=Launcher(build_native(LAUNCHER)),
            raw=Path(scratch),
            processors=assignment.measured,
            timeout_s=SERVER_LIMIT_S,
            environment=environment_of(cell.artefact),
            stderr=Path(scratch) / "stderr",
        )
        times: list[float] = []
        try:
            with Instance(cell, surroundings, None) as instance:
                client = client_of(cell, drive, instance.address)
                assert instance.root_pid is not None
                tree = TreeAccounting.below(instance.root_pid)
                passes = Passes(
                    load_generator, instance, client, tree, assignment.lab, Path(scratch)
                )
                deadline_s = time.monotonic() + seconds
                while time.monotonic() < deadline_s or not times:
                    times.append(passes.one().cpu_ns)
                instance.stop()
        except (ServiceFailed, PassFailed) as failure:
            raise ServerFailed(str(failure)) from None
        if ended_badly := instance.bad_end():
            raise ServerFailed(ended_badly)
    return statistics.median(times[len(times) // 2 :])
