"""The programs of key-value, with functions for their tests."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from runfair.catalogue.benchmark import benchmarks
from runfair.formats.record import Scalar
from runfair.serving.process_files import read_resident_bytes, read_threads
from started_service import ServiceProgram, StartedService, service_options

from .client import Client

NAME = "key-value"


class Running(StartedService):
    def client(self) -> Client:
        return Client(self.port)

    def resident_bytes(self) -> int:
        resident = read_resident_bytes(self.process.pid)
        assert resident is not None, "it has ended"
        return resident

    def threads(self) -> int:
        return len(read_threads(self.process.pid))


class Program(ServiceProgram):
    def running(self, said: Path, **own: Scalar | Path) -> AbstractContextManager[Running]:
        return self.started(Running, said, *service_options(benchmarks()[NAME], own))

    def refusal(self, **own: Scalar | Path) -> str:
        """The text of the error message, which must be one line."""
        return self.mistake(*service_options(benchmarks()[NAME], own))
