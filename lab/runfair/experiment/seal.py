"""The seal of a plan: proof that this installation made it. Resuming a run starts the commands in
its plan. The seal is needed because a results folder may come from another person."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import shlex
from pathlib import Path

from runfair.building.build_folder import locked
from runfair.formats.kept_file import write_whole
from runfair.formats.machines import Machines
from runfair.formats.place import DeclaredPlace
from runfair.formats.plan import Plan
from runfair.formats.run_folder import RunFolder
from runfair.formats.variant import Artefact
from runfair.paths import private_folder

KEY_BYTES = 32


def seal(folder: RunFolder) -> None:
    """Write `experiment.seal` beside the plan. The seal contains the HMAC-SHA-256 of the plan's
    bytes (RFC 2104) in hexadecimal, computed with a key that only this installation's private
    folder has. If the run has several hosts, the bytes of `fleet.json` are sealed too, because that
    file contains the words by which Slurm is reached.
    """
    write_whole(_file(folder), _seal_of(folder) + "\n")


def is_sealed(folder: RunFolder) -> bool:
    """Whether this installation made the plan in its present form."""
    try:
        found = _file(folder).read_bytes().strip()
    except FileNotFoundError:
        return False
    return hmac.compare_digest(found, _seal_of(folder).encode())


def commands(plan: Plan, machines: Machines | None = None) -> list[str]:
    """The commands that resuming a run would start, in shell notation and without duplicates. The
    first is the command with which Slurm allocates the `machines`, if a run has `machines`. The
    launcher of each place follows, because it also starts programs of runfair. The last are the
    programs, with their environment."""
    nowhere = DeclaredPlace()
    engine = [] if machines is None else [[*machines.enter, "salloc"]]
    launchers = [place.launcher for place in plan.places.values() if place.launcher]
    executed = {one.cell for one in plan.executions}
    programs = [
        [*plan.places.get(cell.factors.place, nowhere).launcher, *_with_environment(cell.artefact)]
        for cell in plan.cells
        if cell.id in executed
    ]
    return list(dict.fromkeys(map(shlex.join, [*engine, *launchers, *programs])))


def _with_environment(artefact: Artefact) -> list[str]:
    variables = [f"{name}={value}" for name, value in artefact.environment.items()]
    return [*(["env", *variables] if variables else []), *artefact.command]


def _file(folder: RunFolder) -> Path:
    return folder.path / "experiment.seal"


def _seal_of(folder: RunFolder) -> str:
    content = folder.plan_file.read_bytes()
    if folder.fleet_file.exists():
        content += b"\0" + folder.fleet_file.read_bytes()
    return hmac.new(_key(), content, hashlib.sha256).hexdigest()


def _key() -> bytes:
    """The key of the installation. The key is created when it is first needed, and only its user
    can read it."""
    path = private_folder() / "seal.key"
    with locked(path.with_suffix(".lock")):
        if not path.exists():
            new = path.with_suffix(".new")
            new.touch(0o600)
            new.write_bytes(secrets.token_bytes(KEY_BYTES))
            new.replace(path)
        return path.read_bytes()
