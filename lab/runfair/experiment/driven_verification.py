"""What a driven server answers, and the work it did: one pass plain, one counted."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from runfair.catalogue.benchmark import Benchmark
from runfair.driving.client import client_of
from runfair.driving.drive import drive_of
from runfair.driving.failure import PassFailed
from runfair.driving.passing import Passes
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


def converse_driven(
    benchmark: Benchmark,
    artefact: Artefact,
    variant: Variant,
    tier: str,
    workload: str,
    size: str,
    seed: int,
    inputs: Sequence[str],
    launcher: Launcher,
    processor: int,
) -> tuple[str, str, dict[str, int]]:
    """The digest of a plain pass, and digest and operations of a counted one over one connection,
    in which requests have one order only. ContractBroken where one fails."""
    drive = drive_of(benchmark, size, inputs, benchmark.connections(workload, size) or 1)
    plain = Cell(
        id="verify",
        suite=benchmark.text.suite,
        benchmark=benchmark.name,
        workload=workload,
        size=size,
        tier=tier,
        mode="cold",
        threads=1,
        variant=variant.name,
        language=variant.language,
        factors=Factors(),
        parameters=benchmark.parameters(size),
        inputs=list(inputs),
        seed=seed,
        artefact=artefact,
        drive=drive,
    )
    alone = drive.model_copy(update={"connections": 1})
    counted = plain.model_copy(
        update={"drive": alone, "parameters": plain.parameters | _counting(drive)}
    )
    digest, _ = _pass_over(plain, launcher, processor, count=False)
    counted_digest, operations = _pass_over(counted, launcher, processor, count=True)
    return digest, counted_digest, operations


def _counting(drive: Drive) -> dict[str, int]:
    """What a server is told so that it counts; of files the client sees all that is counted."""
    return {"count": 1} if drive.protocol == "resp" else {}


def _pass_over(
    cell: Cell, launcher: Launcher, processor: int, *, count: bool
) -> tuple[str, dict[str, int]]:
    assert cell.drive is not None
    with tempfile.TemporaryDirectory(prefix="runfair-verify-") as folder:
        raw = Path(folder)
        surroundings = Surroundings(
            launcher=launcher,
            raw=raw,
            processors=[processor],
            timeout_s=LIFE_LIMIT_S,
            environment={**clean_environment(), **cell.artefact.environment},
            stderr=raw / "stderr",
        )
        try:
            with Instance(cell, surroundings, None) as instance:
                client = client_of(cell, cell.drive, instance.address)
                assert instance.root_pid is not None
                tree = TreeAccounting.below(instance.root_pid)
                passes = Passes(generator(), instance, client, tree, [processor], raw)
                digest = passes.one().digest
                operations = client.operations() if count else {}
                instance.stop()
        except (ServiceFailed, PassFailed) as failed:
            raise ContractBroken(f"{failed}{last_words(raw / 'stderr')}") from None
        if ended_badly := instance.bad_end():
            raise ContractBroken(f"{ended_badly}{last_words(raw / 'stderr')}")
    return digest, operations
