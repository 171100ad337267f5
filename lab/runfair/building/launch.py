"""Passes a cell's factors to a runtime, as arguments and environment variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runfair.building.artefact import recipe_of
from runfair.building.failure import Unsupported
from runfair.building.template import filled, filled_environment
from runfair.catalogue.family import FactorKnob
from runfair.formats.plan import Cell
from runfair.formats.record import Scalar
from runfair.formats.variant import Artefact, Variant

MIB = 1 << 20


def launch_options(
    variant: Variant, *, heap_bytes: int | None = None, processors: int | None = None
) -> tuple[list[str], dict[str, str]]:
    """The arguments that pass these factors to the runtime (directly after the executable), and the
    environment.

    If a factor is None, the runtime chooses the value itself. Raises Unsupported if a factor cannot
    be passed to the runtime.
    """
    arguments: list[str] = []
    environment: dict[str, str] = {}
    family, _ = recipe_of(variant)
    if heap_bytes is not None:
        knob = family.factors.get("heap_bytes")
        if knob is None:
            raise Unsupported(
                f"runfair knows no option of {variant.name} that limits the heap, so it cannot "
                "apply `heap`; leave `heap` out, or leave this variant out"
            )
        _check(knob)
        counted_in_mib = any("{heap_mib}" in part for part in knob.arguments)
        if counted_in_mib and heap_bytes % MIB:
            raise Unsupported(
                f"{variant.name} accepts a heap limit only in whole MiB; state a multiple of 1 MiB"
            )
        values = {"heap_bytes": str(heap_bytes), "heap_mib": str(heap_bytes // MIB)}
        arguments += [filled(part, values) for part in knob.arguments]
        environment |= filled_environment(knob.environment, values)
    if processors is not None:
        # A runtime that has no entry here follows the processor affinity by itself.
        knob = family.factors.get("processors", FactorKnob())
        _check(knob)
        values = {"processors": str(processors)}
        arguments += [filled(part, values) for part in knob.arguments]
        environment |= filled_environment(knob.environment, values)
    return arguments, environment


def contract_options(cell: Cell) -> list[str]:
    """The options of a cell's programs (benchmarks/contract.md, "Options"). `iterations` and its
    related options are not included."""
    return program_options(
        cell.parameters,
        workload=cell.workload,
        seed=cell.seed,
        threads=cell.threads,
        inputs=cell.inputs,
    )


def program_options(
    parameters: Mapping[str, Scalar],
    *,
    workload: str,
    seed: int = 1,
    threads: int = 1,
    inputs: Sequence[str] = (),
) -> list[str]:
    """The program's options as NAME=VALUE. The values have been checked."""
    given = {"workload": workload, "seed": seed, "threads": threads} | dict(parameters)
    options = [f"{name}={value}" for name, value in given.items()]
    return [*options, *(f"input={path}" for path in inputs)]


def with_options(artefact: Artefact, arguments: list[str], environment: dict[str, str]) -> Artefact:
    """The artefact with the result of `launch_options` inserted where the runtime expects it."""
    return artefact.model_copy(
        update={
            "command": [artefact.command[0], *arguments, *artefact.command[1:]],
            "environment": {**artefact.environment, **environment},
        }
    )


def _check(knob: FactorKnob) -> None:
    if knob.unsupported:
        raise Unsupported(knob.unsupported)
