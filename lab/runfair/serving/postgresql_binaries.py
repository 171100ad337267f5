"""The installed PostgreSQL server: where its programs are, and which of several is taken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from runfair.errors import UserMistake
from runfair.machine.kernel_files import ROOT

CHOICE = "RUNFAIR_POSTGRESQL"
INSTALL_LINE = "sudo apt-get install --no-install-recommends postgresql"

# Debian and its kin keep the server off the PATH, Red Hat's packages and their kin as well.
_PACKAGED = ("usr/lib/postgresql/*/bin", "usr/pgsql-*/bin")
_NEEDED = ("postgres", "initdb")
# postgresql.org, "Versioning Policy": older ones get no corrections any more; every setting that
# a private instance is given is known from here on.
_OLDEST = (12,)
_ANSWER_LIMIT_S = 20


@dataclass(frozen=True)
class ServerBinaries:
    """A folder with `postgres` and `initdb`; `version` is what `postgres --version` says."""

    folder: Path
    version: str

    @property
    def number(self) -> tuple[int, ...]:
        match = re.search(r"\d+(\.\d+)*", self.version)
        return tuple(map(int, match[0].split("."))) if match else ()

    @property
    def postgres(self) -> Path:
        return self.folder / "postgres"

    @property
    def initdb(self) -> Path:
        return self.folder / "initdb"


def find_binaries(root: Path = ROOT) -> ServerBinaries:
    """The folder that RUNFAIR_POSTGRESQL names, else the newest that is installed.

    UserMistake with the line that installs it where there is none.
    """
    chosen = os.environ.get(CHOICE)
    if chosen:
        binaries = _binaries_in(Path(chosen).absolute())
        if binaries is None:
            raise UserMistake(
                f"{CHOICE} names {chosen}, where no working postgres and initdb are: "
                "name the bin folder of a PostgreSQL server, or unset it"
            )
        if binaries.number < _OLDEST:
            raise UserMistake(
                f"{CHOICE} names {binaries.version}: name a version from {_OLDEST[0]} on"
            )
        return binaries
    found = {folder.resolve(): _binaries_in(folder) for folder in _candidates(root)}
    usable = [each for each in found.values() if each is not None and each.number >= _OLDEST]
    if not usable:
        raise UserMistake(f"no PostgreSQL server is installed here: {INSTALL_LINE}")
    return max(usable, key=lambda each: each.number)


def _candidates(root: Path) -> Iterator[Path]:
    for pattern in _PACKAGED:
        yield from root.glob(pattern)
    pg_config = shutil.which("pg_config")
    if pg_config is not None:
        told = _said([pg_config, "--bindir"])
        if told:
            yield Path(told)
    for folder in os.get_exec_path():
        yield Path(folder)


def _binaries_in(folder: Path) -> ServerBinaries | None:
    if not all(os.access(folder / name, os.X_OK) for name in _NEEDED):
        return None
    version = _said([str(folder / "postgres"), "--version"])
    return ServerBinaries(folder, version) if version else None


def _said(command: list[str]) -> str | None:
    try:
        answer = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWER_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
