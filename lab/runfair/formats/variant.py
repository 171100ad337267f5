"""A variant on this machine (a runtime with stated flags or modes), the order of versions, and the
entries of `list … --json`: what is installed and what is missing."""

from __future__ import annotations

import re
from dataclasses import field
from typing import Literal

from pydantic import TypeAdapter

from runfair.formats.record import Record, Row, Scalar, row


def version_key(version: str) -> tuple[tuple[int, ...], bool, str]:
    """The sort key of a version: 3.9 comes before 3.10, a pre-release (1.27rc1, 1.97.0-nightly)
    before its release."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    numbers = match.group() if match else "0"
    rest = version[match.end() :] if match else version
    release = [int(part) for part in numbers.split(".")]
    while release and release[-1] == 0:
        release.pop()
    return tuple(release), not rest, rest


def at_least(version: str, minimum: str) -> bool:
    """Whether a version equals the minimum version or is newer."""
    return version_key(version)[0] >= version_key(minimum)[0]


State = Literal["ready", "missing", "unsupported"]


class Variant(Record):
    """A variant: a way of running a language here.

    `settings` are the requested settings (collector, optimisation, pgo, lto, native, jit …), under
    the names of the contract's `effective`. A fairness check compares them with the settings that a
    program reports. `lacks` has the abilities that the variant lacks, under the names that programs
    state in `needs`. `default` marks a language's variant in the default experiment. `lineage` is
    the family of another builder whose sequence of versions this variant's versions continue; it is
    "" if they continue only their own family. `kin` is the family that describes the same
    implementation, for example `cpython` if a user's own family is like it; it is "" if no other
    family does. `steady_share` is the length of a
    steady execution of the variant, divided by the profile's seconds; it can be above 1. `identity`
    has the facts that the runtime reported, such as its build: `name=value; name=value`.
    """

    name: str
    runtime: str
    family: str
    lineage: str = ""
    kin: str = ""
    version: str
    language: str
    origin: str
    state: State
    executable: str | None = None
    identity: str = ""
    settings: dict[str, Scalar] = {}
    lacks: list[str] = []
    default: bool = False
    reason: str = ""
    install: str = ""
    steady_share: float = 1.0

    @property
    def facts(self) -> dict[str, str]:
        """The facts of `identity` by name, as this machine's runtime reported them."""
        facts = re.split(r"; (?=\w+=)", self.identity) if self.identity else []
        return {name: value for name, _, value in (fact.partition("=") for fact in facts)}

    @property
    def hindrance(self) -> str:
        """Why the variant cannot run, with the command that installs it; "" if it is ready."""
        if self.state == "missing" and self.install:
            return f"{self.reason}: {self.install}"
        return "" if self.state == "ready" else self.reason or self.state

    @property
    def line(self) -> str:
        """The family whose sequence of versions the variant's version belongs to."""
        return self.lineage or self.family

    @property
    def implementation(self) -> str:
        """The family that tells how the lab treats this implementation: its build, its events, and
        whether it can be probed."""
        return self.kin or self.family


@row
class Artefact(Row):
    """The executable form of a program under a variant; the contract's options are appended to its
    command.

    `sha256` is the hash of all files that were built or, if nothing is built, of the sources.
    `flags` are the build's flags as the artefact itself records them (a compiler's record, `go
    version -m`). `sources` is the program's folder. `fingerprint` identifies the files, inputs and
    executable when the run was planned, so that a later change is noticed.
    """

    variant: str
    program: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    directory: str
    sha256: str
    files: list[str] = field(default_factory=list)
    flags: str = ""
    sources: str = ""
    fingerprint: str = ""


class Entry(Record):
    """An entry of `list`. `language` is empty for experiments; `detail` is one line; `install` is
    the command to type."""

    name: str
    language: str
    state: State
    detail: str = ""
    install: str = ""


LISTING: TypeAdapter[list[Entry]] = TypeAdapter(list[Entry])
