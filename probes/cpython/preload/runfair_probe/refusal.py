"""The reason why a process is not probed. The process itself continues to run."""

import os
import sys


class Refused(Exception):
    """The probe could not confirm its assumptions about this process, and has left it unchanged."""


def refuse(folder, reason):
    """Writes the side file of a process that is not probed."""
    from runfair_probe.side_file import write  # noqa: PLC0415

    version = ".".join(map(str, sys.version_info[:3]))
    write(
        folder,
        {
            "runtime": sys.implementation.name,
            "version": version,
            "executable": sys.executable or "",
            "pid": os.getpid(),
            "mode": os.environ.get("RUNFAIR_PROBE_MODE", "mark"),
            "refused": reason,
        },
    )
