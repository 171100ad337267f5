"""A service of the user's own, as `[services.NAME]` says: what is started, and how many of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from runfair.building.checksum import sha256_of
from runfair.catalogue.experiment import OwnService, Serve
from runfair.errors import UserMistake
from runfair.experiment.resolution import nothing_built
from runfair.formats.plan import Factors
from runfair.formats.variant import Artefact, Variant

OWN = "own"  # its suite, tier and family


def own_variant(name: str, own: OwnService) -> Variant:
    return Variant(
        name=name,
        runtime=name,
        family=OWN,
        version="",
        language=own.language or OWN,
        origin=" ".join(own.found or own.command),
        state="ready",
    )


def own_artefact(name: str, own: OwnService) -> Artefact:
    """The user's command, as it is; its executable is looked up now, so that a misspelling is told
    before anything is measured."""
    if own.found:
        return nothing_built(name, name)
    directory = Path(own.directory).absolute()
    if not directory.is_dir():
        raise UserMistake(
            f"[services.{name}]: directory: {directory} is no folder: name one that is there"
        )
    first = own.command[0]
    found = shutil.which(str(directory / first) if "/" in first else first)
    if found is None:
        raise UserMistake(
            f"[services.{name}]: command: {first!r} is no program that can be started: correct "
            "its name, or give its path"
        )
    return Artefact(
        variant=name,
        program=name,
        command=[found, *own.command[1:]],
        environment=own.environment,
        directory=str(directory),
        sha256=sha256_of(Path(found)),
    )


def own_instances(name: str, own: OwnService, serve: Serve, factors: Factors) -> int:
    """What the service itself says comes before what is said of all. UserMistake where the two
    contradict each other, or where so many cannot be told apart or share the load."""
    said = own.own_instances
    instances = factors.instances if said is None else said
    if said is not None and serve.instances not in ([1], [said]):
        raise UserMistake(
            f"[services.{name}]: it has {said} by itself, and its [[serve]] says "
            f"{serve.instances}: leave `instances` out of one of them"
        )
    if instances > 1 and not own.found and not own.takes_ports:
        raise UserMistake(
            f"[services.{name}]: each of {instances} instances needs a port of its own: write "
            "{port} in its command or environment, and leave `port` out"
        )
    if instances > serve.connections:
        raise UserMistake(
            f"[services.{name}]: {instances} instances cannot share {serve.connections} "
            "connections: raise `connections` in its [[serve]]"
        )
    return instances
