"""A variant as found on this machine, a runtime with stated flags or modes; the order of versions;
and `list … --json`, an array of what is here and what is missing."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import TypeAdapter

from runfair.formats.record import Record, Scalar


def version_key(version: str) -> tuple[tuple[int, ...], bool, str]:
    """Sorts 3.9 before 3.10, and a pre-release (1.27rc1, 1.97.0-nightly) before its release."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    numbers = match.group() if match else "0"
    rest = version[match.end() :] if match else version
    release = [int(part) for part in numbers.split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), not rest, rest


def at_least(version: str, minimum: str) -> bool:
    """Whether a version is the minimum or newer."""
    return version_key(version)[0] >= version_key(minimum)[0]


State = Literal["ready", "missing", "unsupported"]


class Variant(Record):
    """One way of running a language here, and what is known about it.

    `settings` are what the variant asks for (collector, optimisation, pgo, lto, native, jit …), in
    the words of the contract's `effective`; a fairness check compares them with what a program
    says is in force. `default` marks the one variant a language enters the default experiment with.
    `lineage` is the family whose versions its own continue, "" for its own family.
    `steady_share` of a profile's seconds is what a steady execution takes.
    """

    name: str
    runtime: str
    family: str
    lineage: str = ""
    version: str
    language: str
    origin: str
    state: State
    executable: str | None = None
    identity: str = ""
    settings: dict[str, Scalar] = {}
    default: bool = False
    reason: str = ""
    install: str = ""
    steady_share: float = 1.0


class Artefact(Record):
    """What is started for one program under one variant; the contract's options are appended.

    `sha256` is of everything that was built or, where nothing is built, of the sources; `flags`
    is what the built thing says of its own build (a compiler's record, `go version -m`). `sources`
    is the program's folder.
    `fingerprint` is of the files, inputs and executable as the plan found them, so that a change
    in the middle of a run is noticed.
    """

    variant: str
    program: str
    command: list[str]
    environment: dict[str, str] = {}
    directory: str
    sha256: str
    files: list[str] = []
    flags: str = ""
    sources: str = ""
    fingerprint: str = ""


class Entry(Record):
    """`language` is empty for experiments; `detail` is one line; `install` the line to type."""

    name: str
    language: str
    state: State
    detail: str = ""
    install: str = ""


LISTING: TypeAdapter[list[Entry]] = TypeAdapter(list[Entry])
