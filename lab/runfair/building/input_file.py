"""Inputs are made, not fetched: seeded generators whose output is checksummed."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from runfair.catalogue.benchmark import Benchmark
from runfair.errors import UserMistake
from runfair.paths import private_folder


def input_file(benchmark: Benchmark, workload: str, size: str, seed: int) -> Path | None:
    """The input of this work, generated at first use; None where the benchmark has none.

    The file's name holds the checksum of its generator and arguments, so a changed generator
    makes a new file. A canonical answer's checksum is compared with the file's own, always.
    """
    made_by = benchmark.text.input
    if made_by is None:
        return None
    generator = benchmark.folder / made_by.generator
    arguments = ["--workload", workload, "--seed", str(seed)]
    for name, value in benchmark.size(size).input.items():
        arguments += [f"--{name}", str(value)]
    key = hashlib.sha256(generator.read_bytes() + "\0".join(arguments).encode()).hexdigest()[:16]
    folder = private_folder() / "inputs" / benchmark.name
    path = folder / f"{workload}-{size}-{seed}-{key}.{made_by.extension}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        finished = subprocess.run(
            [sys.executable, str(generator), *arguments, "--output", str(path)],
            stdout=subprocess.PIPE,
            check=False,
        )
        if finished.returncode != 0 or not path.exists():
            raise UserMistake(
                f"{generator} {' '.join(arguments)}: the generator failed "
                f"(exit status {finished.returncode}); run it by hand to see why"
            )
    answer = benchmark.answers.find(workload, size, seed)
    if answer is not None and answer.input_sha256 not in (None, sha256_of(path)):
        raise UserMistake(
            f"{path}: the checksum is not the canonical one; delete the file to have it made again"
        )
    return path


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
