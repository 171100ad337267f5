"""A service benchmark's files, made by its generator: inputs, tables, requests with answers."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from runfair.building.workshop import Bench, made
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.service import ServiceBenchmark
from runfair.paths import private_folder


def service_files(benchmark: ServiceBenchmark, size: str, seed: int) -> Path:
    """The folder of the generator's files, made at first use.

    Its name holds the checksum of the generator and its arguments, so that a changed generator
    makes a new one. Raises UserMistake for an unknown size, BuildFailed where the generator fails.
    """
    sizes = benchmark.text.sizes
    if size not in sizes:
        raise unknown("size", size, sizes, f" of {benchmark.name}")
    generator = benchmark.folder / benchmark.text.generator
    arguments = [f"--seed={seed}", *(f"--{name}={value}" for name, value in sizes[size].items())]
    key = hashlib.sha256(generator.read_bytes() + "\0".join(arguments).encode()).hexdigest()[:16]
    folder = private_folder() / "inputs" / benchmark.name / f"{size}-{seed}-{key}"

    def make(staging: Path) -> None:
        command = [sys.executable, str(generator), *arguments, f"--folder={staging}"]
        Bench(staging, {}).step(command, benchmark.folder, {})

    return made(folder, make)
