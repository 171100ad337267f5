"""What can be installed, by name."""

from __future__ import annotations

import difflib
import platform
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runfair.errors import UserMistake
from runfair.formats.record import Record

OFFERS = Path(__file__).with_name("offers.toml")
MEGABYTE = 1_000_000

Registry = Literal["npm", "pip", "go", "maven"]


class OfferTable(Record):
    """One entry of `offers.toml`. `main`: the class that a package of Maven's is started by."""

    how: Registry
    package: str
    versions: list[str]
    about_mb: int
    program: str
    check: list[str]
    main: str = ""


@dataclass(frozen=True)
class Offer:
    """A runtime that a registry gives. `size_bytes` is what to expect on disk; `how` the
    registry. `version` may be a prefix (24), of which the newest is taken."""

    name: str
    size_bytes: int
    how: Registry
    package: str
    version: str
    program: str
    check: tuple[str, ...]
    main: str = ""


def offers() -> list[Offer]:
    """Every version listed; any other version of the same things may be asked for by name."""
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
        raise UserMistake(f"nothing to install is called '{name}'; there is {', '.join(near)}")
    return _offer(family, table, version or table.versions[-1])


def _offer(name: str, table: OfferTable, version: str) -> Offer:
    places = {"architecture": _architecture()}
    return Offer(
        name=f"{name}-{version}" if version else name,
        size_bytes=table.about_mb * MEGABYTE,
        how=table.how,
        package=table.package.format(**places),
        version=version,
        program=table.program.format(**places),
        check=tuple(table.check),
        main=table.main,
    )


def _architecture() -> str:
    """The processor's name as npm packages spell it."""
    machine = platform.machine()
    return {"x86_64": "x64", "aarch64": "arm64"}.get(machine, machine)


def _tables() -> dict[str, OfferTable]:
    content = tomllib.loads(OFFERS.read_text(encoding="utf-8"))
    return {name: OfferTable.model_validate(table) for name, table in content.items()}
