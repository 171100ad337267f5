"""An untimed run of a cell: its answer and, for a counted build, its operation counts."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runfair.building.launch import contract_options
from runfair.experiment.program_executor import environment_of
from runfair.experiment.unprivileged import with_unprivileged_user
from runfair.formats.distribution import samples_option
from runfair.formats.plan import Cell, Drive
from runfair.formats.transcript import ContractBroken, Transcript
from runfair.loading.generator import generator
from runfair.machine.launching import Launcher, error_line
from runfair.machine.user import ENTERED_BY_ALL
from runfair.serving.driven_executor import Passes
from runfair.serving.instance import Instance, ServiceFailed, Surroundings
from runfair.serving.pass_client import Client, PassFailed, client_of
from runfair.serving.process_accounting import TreeAccounting

TIMEOUT_S = 600.0
COUNTED_ITERATIONS = 3  # an answer that was cached becomes visible in the second iteration


@dataclass(frozen=True)
class UntimedAnswer:
    """The answer of an untimed run. `operations` has the program's counts; None if it did not
    count."""

    digest: str | None
    operations: dict[str, int] | None


def run_untimed(
    cell: Cell,
    launcher: Launcher,
    processors: Sequence[int],
    *,
    count: bool = False,
    client_counts: bool = False,
    timeout_s: float = TIMEOUT_S,
) -> UntimedAnswer:
    """Run a program from start to end or, if it is a server, make passes over it.

    `count` says that the artefact is the counted build; three iterations must then give the same
    counts. A server gets a single connection, so that requests have a fixed order. `client_counts`
    says that the server is a library without ticks, so the client counts its operations. Raises
    ContractBroken if the exit status or the output breaks the contract.
    """
    with tempfile.TemporaryDirectory(prefix="runfair-untimed-") as scratch:
        Path(scratch).chmod(ENTERED_BY_ALL)
        cell, _ = with_unprivileged_user(cell, Path(scratch))
        surroundings = Surroundings(
            launcher=launcher,
            raw=Path(scratch),
            processors=processors,
            timeout_s=timeout_s,
            environment=environment_of(cell.artefact),
            stderr=Path(scratch) / "stderr",
            counted=count,
        )
        if cell.drive is not None:
            return _with_server(cell, cell.drive, surroundings, count, client_counts)
        return _with_program(cell, surroundings, count)


def _with_program(cell: Cell, around: Surroundings, count: bool) -> UntimedAnswer:
    asked = ["count=1", f"iterations={COUNTED_ITERATIONS}"] if count else ["iterations=1"]
    with around.launcher.start(
        [
            *cell.artefact.command,
            *contract_options(cell),
            *asked,
            *_samples_option(cell, around.raw / "samples"),
        ],
        report=around.raw / "launch.json",
        stdout=around.raw / "stdout",
        stderr=around.stderr,
        environment=around.environment,
        directory=Path(cell.artefact.directory),
        processors=around.processors,
        timeout_s=around.timeout_s,
        user=cell.user,
    ) as launch:
        end = launch.wait().outcome
    if end.state != "exited" or end.exit_status != 0:
        how = end.error or (
            f"exit status {end.exit_status}"
            if end.state == "exited"
            else f"{end.state.replace('_', ' ')} {end.signal or ''}".strip()
        )
        raise ContractBroken(f"{how}{error_line(around.stderr)}")
    transcript = Transcript(cell.distributions)
    transcript.feed((around.raw / "stdout").read_bytes())
    transcript.finish()
    return UntimedAnswer(transcript.digest, transcript.operations)


def _samples_option(cell: Cell, folder: Path) -> list[str]:
    options = samples_option(cell.distributions, folder)
    if options and cell.user is not None:
        cell.user.own(folder)
    return options


def _with_server(
    cell: Cell, drive: Drive, around: Surroundings, count: bool, client_counts: bool
) -> UntimedAnswer:
    if count:
        drive = drive.model_copy(update={"connections": 1})
        cell = cell.model_copy(update={"drive": drive})
    load_generator = generator()  # built before the server's time limit begins
    try:
        with Instance(cell, around, None) as instance:
            client = client_of(cell, drive, instance.address, counted=count)
            assert instance.root_pid is not None
            tree = TreeAccounting.below(instance.root_pid)
            passes = Passes(load_generator, instance, client, tree, around.processors, around.raw)
            said = [_pass(passes, client, count) for _ in range(COUNTED_ITERATIONS if count else 1)]
            instance.stop()
    except (ServiceFailed, PassFailed) as failed:
        raise ContractBroken(f"{failed}{error_line(around.stderr)}") from None
    if ended_badly := instance.bad_end():
        raise ContractBroken(f"{ended_badly}{error_line(around.stderr)}")
    if any(one != said[0] for one in said):
        raise ContractBroken(
            "runfair sent the server the same requests several times, but the server counted "
            f"different operations each time: {', '.join(map(str, said))}"
        )
    counted = instance.transcript.operations
    if not count or client_counts or drive.protocol == "resp":
        return said[0]
    if counted is None:
        raise ContractBroken(
            "the server printed no `operations` line before its `end` line, so its operations "
            "are not counted"
        )
    return replace(said[0], operations=_of_one_pass(counted, len(said)))


def _pass(passes: Passes, client: Client, count: bool) -> UntimedAnswer:
    """The answer of one pass, with the client's operation counts."""
    before = len(passes.loads)
    digest = passes.one().digest
    return UntimedAnswer(digest, client.operations(passes.loads[before:]) if count else None)


def _of_one_pass(counted: dict[str, int], passes: int) -> dict[str, int]:
    """The operation counts of a server over its whole life, divided by the number of its equal
    passes."""
    uneven = [name for name, value in counted.items() if value % passes]
    if uneven:
        found = ", ".join(f"{name} is {counted[name]}" for name in uneven)
        raise ContractBroken(
            f"the server received the same requests {passes} times, so each of its counters must "
            f"be a multiple of {passes}, but {found}"
        )
    return {name: value // passes for name, value in counted.items()}
