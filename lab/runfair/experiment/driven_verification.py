"""What a driven server answers, and the work it did: one pass plain, one counted."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from runfair.catalogue.benchmark import Benchmark
from runfair.driving.client import client_of
from runfair.driving.drive import drive_of
from runfair.driving.failure import PassFailed
from runfair.driving.passes import Passes
from runfair.formats.drive import Drive
from runfair.formats.plan import Cell, Factors
from runfair.formats.transcript import ContractBroken
from runfair.formats.variant import Artefact, Variant
from runfair.loading.generator import generator
from runfair.machine.environment import clean_environment
from runfair.machine.last_words import last_words
from runfair.machine.launching import Launcher
from runfair.serving.failure import ServiceFailed
from runfair.serving.instance import Instance, Surroundings
from runfair.serving.process_accounting import TreeAccounting

LIFE_LIMIT_S = 600.0


def driven_cell(
    benchmark: Benchmark,
    artefact: Artefact,
    variant: Variant,
    tier: str,
    workload: str,
    size: str,
    seed: int,
    inputs: Sequence[str],
    threads: int = 1,
) -> Cell:
    """A driven server as a cell, over as many connections as its size asks for."""
    return Cell(
        id="verify",
        suite=benchmark.text.suite,
        benchmark=benchmark.name,
        workload=workload,
        size=size,
        tier=tier,
        mode="cold",
        threads=threads,
        variant=variant.name,
        language=variant.language,
        factors=Factors(),
        parameters=benchmark.parameters(size),
        inputs=list(inputs),
        seed=seed,
        artefact=artefact,
        drive=drive_of(benchmark, size, inputs, benchmark.connections(workload, size) or 1),
    )


def converse_driven(
    cell: Cell, launcher: Launcher, processors: Sequence[int]
) -> tuple[str, str, dict[str, int]]:
    """The digest of a plain pass, and digest and operations of a counted one over one connection,
    in which requests have one order only. ContractBroken where one fails."""
    assert cell.drive is not None
    digest, _ = pass_over(cell, launcher, processors, count=False)
    alone = cell.drive.model_copy(update={"connections": 1})
    counted = cell.model_copy(
        update={"drive": alone, "parameters": cell.parameters | _counting(alone)}
    )
    return digest, *pass_over(counted, launcher, processors, count=True)


def _counting(drive: Drive) -> dict[str, int]:
    """What a server is told so that it counts; of files the client sees all that is counted."""
    return {"count": 1} if drive.protocol == "resp" else {}


def pass_over(
    cell: Cell,
    launcher: Launcher,
    processors: Sequence[int],
    *,
    count: bool,
    limit_s: float = LIFE_LIMIT_S,
) -> tuple[str, dict[str, int]]:
    """Digest, and operations where they are to be told, of one pass. ContractBroken where it fails
    or its server ends badly."""
    assert cell.drive is not None
    load_generator = generator()  # built, if it must be, before a server's time begins to run
    with tempfile.TemporaryDirectory(prefix="runfair-verify-") as folder:
        raw = Path(folder)
        surroundings = Surroundings(
            launcher=launcher,
            raw=raw,
            processors=processors,
            timeout_s=limit_s,
            environment={**clean_environment(), **cell.artefact.environment},
            stderr=raw / "stderr",
        )
        try:
            with Instance(cell, surroundings, None) as instance:
                client = client_of(cell, cell.drive, instance.address)
                assert instance.root_pid is not None
                tree = TreeAccounting.below(instance.root_pid)
                passes = Passes(load_generator, instance, client, tree, processors, raw)
                digest = passes.one().digest
                operations = client.operations(passes.loads) if count else {}
                instance.stop()
        except (ServiceFailed, PassFailed) as failed:
            raise ContractBroken(f"{failed}{last_words(raw / 'stderr')}") from None
        if ended_badly := instance.bad_end():
            raise ContractBroken(f"{ended_badly}{last_words(raw / 'stderr')}")
    return digest, operations
