"""The inputs of programs and services. Inputs are generated with a seed, stored by checksum, and
never downloaded."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from runfair.building.build_folder import BuildSteps, locked, made
from runfair.building.checksum import remembered_sha256_of
from runfair.building.failure import InputBroken
from runfair.catalogue.benchmark import Benchmark, unknown
from runfair.catalogue.service import ServiceBenchmark
from runfair.paths import private_folder


def input_file(benchmark: Benchmark, workload: str, size: str, seed: int) -> Path | None:
    """The input of a workload: a file or a folder, which is generated at first use. None if the
    benchmark has no input.

    The name of the input contains the checksum of its generator and arguments, so a changed
    generator makes a new file. The input's checksum is always compared with the checksum in the
    canonical answer. Raises InputBroken.
    """
    made_by = benchmark.text.input
    if made_by is None:
        return None
    generator = benchmark.folder / made_by.generator
    arguments = ["--workload", workload, "--seed", str(seed)]
    for name, value in benchmark.size(size).input.items():
        arguments += [f"--{name}", str(value)]
    key = hashlib.sha256(generator.read_bytes() + "\0".join(arguments).encode()).hexdigest()[:16]
    folder = private_folder() / "inputs" / benchmark.text.name
    name = f"{workload}-{size}-{seed}-{key}"
    path = folder / (name if made_by.folder else f"{name}.{made_by.extension}")
    if not path.exists():
        # The generator is run as a module, so that it may import the harness.
        module = ".".join(generator.relative_to(benchmark.root).with_suffix("").parts)
        command = [sys.executable, "-m", module, *arguments]
        _generate(command, benchmark.root, path, whole=made_by.folder)
    answer = benchmark.answer(workload, size, seed)
    if answer is not None and answer.input_sha256 not in (None, remembered_sha256_of(path)):
        raise InputBroken(
            f"{path}: the checksum of this input file is wrong; delete the file, and runfair "
            "generates it again"
        )
    return path


def _generate(command: list[str], root: Path, path: Path, *, whole: bool) -> None:
    """Run a generator. A generator renames single files itself; a `whole` folder is renamed by this
    function."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f"{path.name}.lock")):
        if path.exists():
            return
        output = path.with_name(f".making-{path.name}") if whole else path
        if whole and output.exists():
            shutil.rmtree(output)  # the remains of an interrupted generator
        finished = subprocess.run(
            [*command, "--output", str(output)], cwd=root, stdout=subprocess.PIPE, check=False
        )
        if finished.returncode != 0 or not output.exists():
            raise InputBroken(
                f"the generator of an input file failed with exit status {finished.returncode}; "
                f"to see why, run this command in {root}: python {' '.join(command[1:])}"
            )
        if whole:
            output.rename(path)


def service_files(benchmark: ServiceBenchmark, size: str, seed: int) -> Path:
    """The folder of a service's generated files, made at first use.

    The folder's name contains the checksum of the generator and its arguments, so a changed
    generator makes a new folder. Raises UserMistake if the size is unknown, and BuildFailed if the
    generator fails.
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
        BuildSteps(staging, {}).run(command, benchmark.folder, {})

    return made(folder, make)
