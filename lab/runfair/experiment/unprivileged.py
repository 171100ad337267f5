"""The unprivileged user for programs and services if root started the lab."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from runfair.errors import UserMistake
from runfair.formats.execution import Execution
from runfair.formats.plan import Cell, Plan
from runfair.machine.user import ENTERED_BY_ALL, can_become, unprivileged_user, unreachable
from runfair.paths import REPOSITORY


def unprivileged(plan: Plan, results: Path, reason: str = "") -> Plan:
    """The plan with an unprivileged user for each cell whose program can run as this user, and a
    limitation for the other cells. If the lab does not run as root, the plan is unchanged.
    `results` is the folder that will contain the run. `reason` is the experiment's reason for
    running everything as root."""
    user = unprivileged_user()
    if user is None:
        return plan
    if reason:
        return _limited(plan, [f"the programs run as root, because {reason}"])
    if not can_become(user):
        return _limited(
            plan,
            [
                (
                    "the programs run as root, because runfair is not allowed to start them as "
                    "another user, although it runs as root itself"
                )
            ],
        )
    if _umask() & ENTERED_BY_ALL & 0o077:
        return _limited(
            plan,
            [
                (
                    "the programs run as root, because the umask lets no other user enter new "
                    "folders; set the umask to 022"
                )
            ],
        )
    cells, hidden, known = [], dict[Path, list[str]](), dict[tuple[Path, ...], Path | None]()
    for cell in plan.cells:
        changed, path = with_unprivileged_user(cell, results, known)
        cells.append(changed)
        if path is not None:
            hidden.setdefault(path, []).append(cell.variant)
    return _limited(
        plan.model_copy(update={"cells": cells}),
        [
            f"{', '.join(dict.fromkeys(names))} run as root, because user {user.uid} cannot read "
            f"{path}; allow all users to read this path"
            for path, names in hidden.items()
        ],
    )


def with_unprivileged_user(
    cell: Cell, written: Path, known: dict[tuple[Path, ...], Path | None] | None = None
) -> tuple[Cell, Path | None]:
    """The cell with an unprivileged user. If this user cannot reach a path, the cell is returned
    unchanged, together with the path. The cell is also unchanged if the lab does not run as root,
    or does not start the program itself. `written` is the folder for the program's own files.
    `known` has the answers for other cells, because most cells have the same files, and gets the
    new answer."""
    user, artefact = unprivileged_user(), cell.artefact
    if user is None or cell.absent or cell.broken_input or not artefact.command:
        return cell, None
    needed = [artefact.command[0], *artefact.files, *cell.inputs, artefact.directory]
    if cell.checks:
        needed.append(sys.executable)  # a process of the lab removes V8's checks
    files = [path for path in map(Path, needed) if path.is_absolute()]
    # Runtimes load the code that reports their events from this copy of runfair.
    known = {} if known is None else known
    reached = (*files, written, REPOSITORY)
    if reached not in known:
        known[reached] = unreachable(user, reached)
    hidden = known[reached]
    if hidden is not None:
        return cell, hidden
    return cell.model_copy(update={"user": user}), None


def require_same_user(plan: Plan, executions: Sequence[Execution]) -> None:
    """Raise UserMistake if the rest of a run would run as another user than its recorded part."""
    own = os.geteuid()
    if own != 0 and any(cell.user is not None for cell in plan.cells):
        raise UserMistake("root began this run; use ./runfair resume as root")
    users = {cell.id: own if cell.user is None else cell.user.uid for cell in plan.cells}
    for one in executions:
        uid = one.launch.uid
        if uid is not None and uid != users.get(one.cell, uid):
            raise UserMistake(
                f"this run's programs ran as user {uid}, but now they would run as user "
                f"{users[one.cell]}; resume the run as the user who began it"
            )


def _limited(plan: Plan, texts: Sequence[str]) -> Plan:
    return plan.model_copy(update={"limitations": [*plan.limitations, *texts]})


def _umask() -> int:
    """The umask of this process. The kernel returns it only when it is set."""
    found = os.umask(0o022)
    os.umask(found)
    return found
