"""The negative control: a bounds check whose absence is seen in the answer.

A small program runs on the same Node. If removing or restoring a check had no effect there, runfair
does not understand this version's code, and changes no other program.
"""

from __future__ import annotations

import os
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.checks import NegativeControl
from runfair.paths import REPOSITORY
from runfair.probing.checks.check import inverse
from runfair.probing.checks.patched_process import CodeChanged, PatchedProcess, Start
from runfair.probing.checks.selection import Selection, holds, select

PROGRAM = REPOSITORY / "probes" / "v8" / "known_check.cjs"
FUNCTION = "known"
EXPECTED = NegativeControl(
    without_check="12345", with_check="undefined", deoptimised_for="out of bounds"
)


def negative_control(node: str, folder: Path) -> NegativeControl:
    """Removes and restores the known check on this Node. Raises UserMistake with the reason if
    this does not have the known effects. `folder` is a new folder."""
    folder.mkdir()
    beyond, printed = folder / "beyond", folder / "output"
    environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    with printed.open("wb") as output:
        start = Start([node, str(PROGRAM), str(beyond)], environment, folder / "process", output)
        with PatchedProcess(start) as process:
            selection = select(process, [FUNCTION])
            try:
                deoptimised_for = _read_beyond(process, selection, beyond)
            except CodeChanged as error:
                raise _not_understood(process.version, str(error)) from None
            version = process.version
    values = printed.read_text().split()
    found = NegativeControl(
        without_check=values[0] if values else "nothing",
        with_check=values[-1] if values else "nothing",
        deoptimised_for=deoptimised_for,
    )
    if found != EXPECTED:
        raise _not_understood(
            version,
            f"a read past the end of an array gave {found.without_check} without the bounds "
            f"check, and {found.with_check} with the check "
            f"({found.deoptimised_for or 'no deoptimisation'}); expected: "
            f"{EXPECTED.without_check} without the check, and {EXPECTED.with_check} with the "
            f"check ({EXPECTED.deoptimised_for})",
        )
    return found


def _read_beyond(process: PatchedProcess, selection: Selection, beyond: Path) -> str:
    """Reads past the end without the check, then with it. Returns the reason for which V8 then
    deoptimised."""
    if len(selection.codes) != 1 or not selection.of_kinds(["bounds"]):
        raise CodeChanged(
            "the machine code that V8 printed shows no bounds check, although the function has one"
        )
    (code,) = selection.codes
    (patches,) = selection.removal(["bounds"])
    process.write(patches)
    beyond.touch()
    if process.iteration() is not None:
        process.write(inverse(patches))
        if not holds(process, code):
            raise CodeChanged("runfair could not restore the check that it removed as a test")
        while process.iteration() is not None:
            pass
    return next(iter(process.listing.bailouts(code)), "")


def _not_understood(version: str, problem: str) -> UserMistake:
    return UserMistake(
        f"runfair does not understand the machine code of node {version} ({problem}); use another "
        "version of Node"
    )
