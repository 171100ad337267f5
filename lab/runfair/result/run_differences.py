"""The differences between two runs other than the compared figures: machine, plan, work,
programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

from runfair.evidence.run import RunEvidence
from runfair.formats.host import Host
from runfair.formats.plan import Cell, Plan
from runfair.formats.service import Hosting
from runfair.formats.variant import Variant
from runfair.wording import quantity

SHOWN_AT_MOST = 3


def differences(first: RunEvidence, second: RunEvidence) -> list[str]:
    """The differences between two runs, with a line for each."""
    lines = _differing(_of_hosts(first.hosts), _of_hosts(second.hosts))
    lines += _differing(_of_plan(first.plan), _of_plan(second.plan))
    cells = {one.cell.id: one.cell for one in first.cells}
    shared = [(cells[one.cell.id], one.cell) for one in second.cells if one.cell.id in cells]
    for said, of in (
        ("the work (answer, operations or parameters)", asked),
        ("the input files", _inputs),
        ("the build flags of the programs", lambda cell: cell.artefact.flags),
        ("the programs (SHA-256)", lambda cell: cell.artefact.sha256),
    ):
        lines += _of_cells(said, of, shared)
    variants = {one.name: one for one in first.plan.variants}
    for variant in second.plan.variants:
        if variant.name in variants:
            lines += _of_variants(variants[variant.name], variant)
    return lines


def one_machine(first: Sequence[Host], second: Sequence[Host]) -> bool:
    """Whether both runs were on the same machine, or on the same hosts, judged by their names and
    processors. Boot and kernel may differ."""
    return {*map(_machine, first)} == {*map(_machine, second)}


def same_work(first: Cell, second: Cell) -> bool:
    """Whether two cells of the same name do the same work. If not, their ratio is meaningless."""
    return asked(first) == asked(second)


def asked(cell: Cell) -> tuple[object, ...]:
    service = None
    if cell.service is not None:
        # The path of the traffic file differs between machines, so the file's SHA-256 is compared.
        point = cell.service.point.model_copy(update={"traffic": ""})
        service = cell.service.model_copy(update={"point": point}).asked
    drive = cell.drive and cell.drive.model_copy(
        update={"traffic": PurePath(cell.drive.traffic).name}
    )
    own = (cell.digest, cell.operations, cell.parameters, service, drive)
    # Runs that were recorded before there were peaks keep the hashes of their work.
    return own if cell.peak is None else (*own, cell.peak.model_copy(update=_NOT_ASKED))


# The path of the traffic differs between machines, and each service is run in its own way.
_NOT_ASKED = {"traffic": "", "hosting": Hosting(kind="program")}


def _inputs(cell: Cell) -> list[str]:
    """The names of a cell's input files. A name contains a hash of the program that generated the
    input. Folders are left out, because they differ between machines."""
    return [PurePath(path).name for path in cell.inputs]


def _machine(host: Host) -> tuple[object, ...]:
    return (host.name, host.processor_model, len(host.processors))


def _of_hosts(hosts: Sequence[Host]) -> dict[str, object]:
    """The values of all hosts of a run, each value once."""
    each = [_of_host(one) for one in hosts]
    return {
        name: ", ".join(dict.fromkeys(str(properties[name]) for properties in each))
        for name in each[0]
    }


def _of_host(host: Host) -> dict[str, object]:
    return {
        "machine": host.name,
        "processor": host.processor_model,
        "processors": len(host.processors),
        "memory": host.memory_bytes,
        "firmware": host.firmware or "unknown",
        "system": host.system,
        "kernel": host.kernel,
        "frequency scaling": host.frequency_scaling,
        "boot": host.boot_id,
        "reference loop": _calibrated(host),
    }


def _calibrated(host: Host) -> str:
    if host.calibration is None:
        return "none"
    return quantity.duration(host.calibration.reference_ns)


def _of_plan(plan: Plan) -> dict[str, object]:
    return {
        "runfair": plan.runfair,
        "profile": plan.profile,
        "executions": plan.effort.executions,
        "seconds an execution": plan.effort.max_seconds,
        "measured processors": plan.measured_processors,
    }


def _differing(first: dict[str, object], second: dict[str, object]) -> list[str]:
    return [
        f"{name}: {first[name]} and {second[name]}" for name in first if first[name] != second[name]
    ]


def _of_cells(
    said: str, of: Callable[[Cell], object], shared: Sequence[tuple[Cell, Cell]]
) -> list[str]:
    changed = sorted({after.variant for before, after in shared if of(before) != of(after)})
    if not changed:
        return []
    more = len(changed) - SHOWN_AT_MOST
    named = ", ".join(changed[:SHOWN_AT_MOST]) + (f" and {more} more" if more > 0 else "")
    return [f"{said} of {named}"]


def _of_variants(first: Variant, second: Variant) -> list[str]:
    """The differences of a variant between two runs. The same name may denote another version or
    build, because a new installation replaces the old one. A later runfair may ask for more
    facts."""
    shared = first.facts.keys() & second.facts.keys()
    lines = [
        f"the {name} of {second.name}: {before} and {after}"
        for name, before, after in (
            ("version", first.version, second.version),
            ("origin", first.origin, second.origin),
            ("settings", first.settings, second.settings),
        )
        if before != after
    ]
    if not lines and any(first.facts[name] != second.facts[name] for name in shared):
        lines = [
            f"{second.name} has the same version in both runs, but other facts about it (such as "
            "its build) differ"
        ]
    return lines
