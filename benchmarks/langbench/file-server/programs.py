"""The programs of the benchmark, started in the same way as by the lab."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager
from pathlib import Path

from built_program import built
from runfair.catalogue.benchmark import STANDARD, Benchmark, benchmarks
from runfair.formats.record import Scalar
from runfair.serving.process_files import read_threads
from started_service import ServiceProgram, StartedService, service_options

NAME = "file-server"


@functools.cache
def benchmark() -> Benchmark:
    return benchmarks()[NAME]


class Running(StartedService):
    @property
    def peak_bytes(self) -> int:
        """The greatest resident memory of the process so far."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text("ascii").splitlines()
        (peak,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
        return int(peak) * 1024

    @property
    def threads(self) -> int:
        return len(read_threads(self.process.pid))

    def check_end(self) -> None:
        super().check_end()
        errors = self.errors.read_text()
        assert errors == "", f"it wrote errors: {errors}"


class Program(ServiceProgram):
    def serving(
        self, folder: Path, said: Path, **own: Scalar | Path
    ) -> AbstractContextManager[Running]:
        return self.started(Running, said, *service_options(benchmark(), {"input": folder} | own))

    def refusal(self, **own: Scalar | Path) -> str:
        """The text of the error message, which must be one line."""
        return self.mistake(*service_options(benchmark(), own))


def languages_and_tiers() -> list[tuple[str, str]]:
    return [(program.language, program.tier) for program in benchmark().programs]


def standard_languages() -> list[str]:
    return [language for language, tier in languages_and_tiers() if tier == STANDARD]


def program_of(language: str, tier: str = STANDARD) -> Program:
    """The program of a language, under the language's default runtime. Skips the test if there is
    no runtime."""
    return Program.of(NAME, language, tier, built(NAME, language, tier).timed)


def counting(language: str, tier: str = STANDARD) -> Program:
    """The counted build of a program."""
    return Program.of(NAME, language, tier, built(NAME, language, tier).counted)
