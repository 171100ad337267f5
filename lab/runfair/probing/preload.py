"""Starts a command so that its runtimes are probed. Only environment variables are set.

The command's child processes inherit the variables, so worker processes are probed too.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.probe import Mode
from runfair.machine.native import PROBE, build_native
from runfair.paths import REPOSITORY

PYTHON = REPOSITORY / "probes" / "cpython" / "preload"
NODE = REPOSITORY / "probes" / "v8" / "preload" / "runfair_probe.cjs"
_SEPARATORS = frozenset(": \t\n")


def probe_library() -> Path:
    """The probe's native library, built for this machine. Raises UserMistake if the machine is not
    supported.
    """
    check_machine()
    return build_native(PROBE)


def check_machine() -> None:
    """Raises UserMistake if this machine's processor is not supported."""
    if platform.machine() != "x86_64":
        raise UserMistake(
            f"bytecode probes are not supported on {platform.machine()}: they need x86-64"
        )


def probing_variables(
    library: Path, folder: Path, mode: Mode, bytecodes: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    """The variables to set in the environment `given`. Probed processes write their side files to
    `folder`. Raises UserMistake if a path cannot be passed in a variable.
    """
    for path in (library, PYTHON, NODE):
        if _SEPARATORS & set(str(path)):
            raise UserMistake(
                f"{path}: the dynamic loader does not accept a path that contains a colon or a "
                "space: move the file"
            )
    return {
        "LD_PRELOAD": _before(str(library), given.get("LD_PRELOAD", "")),
        "PYTHONPATH": _before(str(PYTHON), given.get("PYTHONPATH", "")),
        "RUNFAIR_PROBE_FOLDER": str(folder),
        "RUNFAIR_PROBE_LIBRARY": str(library),
        "RUNFAIR_PROBE_MODE": mode,
        "RUNFAIR_PROBE_NODE_MODULE": str(NODE),
        "RUNFAIR_PROBE_BYTECODES": ",".join(bytecodes),
    }


def _before(first: str, rest: str) -> str:
    return f"{first}:{rest}" if rest else first
