"""Builds the lab's own programs before other steps need them. The programs are built in the same
folders as by the lab itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from checking.step import Counted, Output, Skipped, Step
from runfair.building.failure import BuildFailed
from runfair.errors import UserMistake
from runfair.loading.generator import generator
from runfair.machine.native import LATE_PROBE, LAUNCHER, PROBE, REFERENCE, build_native
from runfair.serving.relay import relay

BUILDS: tuple[Callable[[], Path], ...] = (
    partial(build_native, LAUNCHER),
    partial(build_native, REFERENCE),
    partial(build_native, PROBE),
    partial(build_native, LATE_PROBE),
    generator,
    relay,
)


def build_own_programs() -> Step:
    """Builds the launcher, the calibration's reference, the probe, the load generator and the
    relay.
    """
    name = "build the lab's own programs"

    def run(output: Output) -> Counted:
        counted = Counted()
        for build in BUILDS:
            try:
                print(build(), file=output, flush=True)
                counted += Counted(passed=1)
            except BuildFailed as failure:
                print(failure, file=output, flush=True)
                counted += Counted(failed=1)
            except UserMistake as missing:
                counted += Counted(skipped=(Skipped(name, str(missing)),))
        return counted

    return Step(name, run)
