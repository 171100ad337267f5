"""The system packages that parts of runfair need: finds the missing packages, and the command that
installs them.
"""

from __future__ import annotations

import glob
import os
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from runfair.catalogue.candidate import PathFolders
from runfair.errors import UserMistake
from runfair.formats.record import Record
from runfair.paths import REPOSITORY

PACKAGES = REPOSITORY / "lab" / "system-packages.toml"


class SystemPackage(Record):
    """A Debian package: its name, the parts of runfair that do not work without it, and the way to
    detect whether it is installed."""

    name: str
    package: str
    wanted: str
    present: list[str]

    def is_present(self, path: PathFolders) -> bool:
        """Whether one of the package's programs is on PATH, or one of its files exists."""
        for pattern in self.present:
            places = [pattern] if "/" in pattern else map(glob.escape, path.matching(pattern))
            if any(glob.glob(place) for place in places):  # noqa: PTH207 - Path.glob takes no absolute pattern
                return True
        return False


def packages(file: Path = PACKAGES) -> list[SystemPackage]:
    """All packages that the file lists. Raises UserMistake if the file is malformed."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))
        return [SystemPackage(name=name, **table) for name, table in tables.items()]
    except tomllib.TOMLDecodeError as error:
        raise UserMistake(f"{file}: {error}") from None
    except TypeError:
        raise UserMistake(
            f"{file}: each value in this file must be a table, but one is not"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise UserMistake(f"{file}: {key}: {first['msg']}") from None


def missing(file: Path = PACKAGES, names: Sequence[str] = ()) -> list[SystemPackage]:
    """The packages that are not installed, restricted to `names` if any are given. Raises
    UserMistake if the file does not list a name.
    """
    listed = packages(file)
    known = sorted(package.name for package in listed)
    for name in names:
        if name not in known:
            raise UserMistake(
                f"runfair installs no system package for '{name}'; it installs packages for "
                f"{', '.join(known)}"
            )
    path = PathFolders()
    wanted = [package for package in listed if not names or package.name in names]
    return [package for package in wanted if not package.is_present(path)]


def apt_line(wanted: Sequence[SystemPackage]) -> str:
    """The command to type as root; empty if nothing is missing."""
    names = " ".join(sorted({package.package for package in wanted}))
    return (
        f"apt-get update && apt-get install --yes --no-install-recommends {names}" if names else ""
    )


def install(wanted: Sequence[SystemPackage]) -> None:
    """Installs the packages, as root. Raises UserMistake with the command to type if the lab is not
    root.
    """
    if not wanted:
        return
    if os.geteuid() != 0:
        raise UserMistake(
            f"only root can install system packages; type as root: {apt_line(wanted)}"
        )
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    names = sorted({package.package for package in wanted})
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "--yes", "-qq", "--no-install-recommends", *names],
    ):
        try:
            outcome = subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, check=False
            )
        except FileNotFoundError:
            raise UserMistake(
                "apt-get is missing, so runfair cannot install packages; install "
                f"{', '.join(names)} yourself"
            ) from None
        if outcome.returncode != 0:
            raise UserMistake(
                f"the command '{' '.join(command)}' failed; to see why, type as root: "
                f"{apt_line(wanted)}"
            )
