"""One iteration of a cell that nobody measures: what it answers, and the work it did."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runfair.building.launch import contract_options
from runfair.driving.client import client_of
from runfair.driving.failure import PassFailed
from runfair.driving.passes import Passes
from runfair.experiment.executor import environment_of
from runfair.formats.drive import Drive
from runfair.formats.plan import Cell
from runfair.formats.transcript import ContractBroken, Transcript
from runfair.loading.generator import generator
from runfair.machine.last_words import last_words
from runfair.machine.launching import Launcher
from runfair.serving.failure import ServiceFailed
from runfair.serving.instance import Instance, Surroundings
from runfair.serving.process_accounting import TreeAccounting

TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Said:
    """`operations` where the program told them."""

    digest: str | None
    operations: dict[str, int] | None


def converse(
    cell: Cell,
    launcher: Launcher,
    processors: Sequence[int],
    *,
    count: bool = False,
    timeout_s: float = TIMEOUT_S,
) -> Said:
    """A process from its start to its end or, where the program is a server, a pass over one.

    `count`: operations are asked for; of a server over one connection, in which requests have one
    order only. Raises ContractBroken where it ends or speaks otherwise than it must.
    """
    with tempfile.TemporaryDirectory(prefix="runfair-conversation-") as scratch:
        surroundings = Surroundings(
            launcher=launcher,
            raw=Path(scratch),
            processors=processors,
            timeout_s=timeout_s,
            environment=environment_of(cell.artefact),
            stderr=Path(scratch) / "stderr",
        )
        if cell.drive is not None:
            return _with_server(cell, cell.drive, surroundings, count)
        return _with_program(cell, surroundings, count)


def _with_program(cell: Cell, around: Surroundings, count: bool) -> Said:
    asked = ["--count"] if count else ["--iterations", "1"]
    with around.launcher.start(
        [*cell.artefact.command, *contract_options(cell), *asked],
        report=around.raw / "launch.json",
        stdout=around.raw / "stdout",
        stderr=around.stderr,
        environment=around.environment,
        directory=Path(cell.artefact.directory),
        processors=around.processors,
        timeout_s=around.timeout_s,
    ) as launch:
        end = launch.wait().outcome
    if end.state != "exited" or end.exit_status != 0:
        how = end.error or (
            f"exit status {end.exit_status}"
            if end.state == "exited"
            else f"{end.state.replace('_', ' ')} {end.signal or ''}".strip()
        )
        raise ContractBroken(f"{how}{last_words(around.stderr)}")
    transcript = Transcript()
    transcript.feed((around.raw / "stdout").read_bytes())
    transcript.finish()
    return Said(transcript.digest, transcript.operations)


def _with_server(cell: Cell, drive: Drive, around: Surroundings, count: bool) -> Said:
    if count:
        drive = drive.model_copy(update={"connections": 1})
        parameters = cell.parameters | _counting(drive)
        cell = cell.model_copy(update={"drive": drive, "parameters": parameters})
    load_generator = generator()  # built, if it must be, before a server's time begins to run
    try:
        with Instance(cell, around, None) as instance:
            client = client_of(cell, drive, instance.address)
            assert instance.root_pid is not None
            tree = TreeAccounting.below(instance.root_pid)
            passes = Passes(load_generator, instance, client, tree, around.processors, around.raw)
            digest = passes.one().digest
            operations = client.operations(passes.loads) if count else None
            instance.stop()
    except (ServiceFailed, PassFailed) as failed:
        raise ContractBroken(f"{failed}{last_words(around.stderr)}") from None
    if ended_badly := instance.bad_end():
        raise ContractBroken(f"{ended_badly}{last_words(around.stderr)}")
    return Said(digest, operations)


def _counting(drive: Drive) -> dict[str, int]:
    """What a server is told so that it counts; of files the client sees all that is counted."""
    return {"count": 1} if drive.protocol == "resp" else {}
