"""The programs of the benchmark, started as the lab starts them."""

from __future__ import annotations

import contextlib
import functools
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from runfair.building.artefact import build
from runfair.building.failure import Unsupported
from runfair.building.workshop import surroundings
from runfair.catalogue.benchmark import STANDARD, Benchmark, benchmarks
from runfair.catalogue.runtime import variants
from runfair.catalogue.version import at_least
from runfair.errors import UserMistake
from runfair.formats.variant import Artefact, Variant
from runfair.paths import REPOSITORY

NAME = "file-server"
START_LIMIT_S = 60
# The contract's 5 s, with room for a busy machine.
END_LIMIT_S = 10

Event = dict[str, Any]


@functools.cache
def benchmark() -> Benchmark:
    return benchmarks()[NAME]


@functools.cache
def schema() -> jsonschema.Draft202012Validator:
    text = (REPOSITORY / "schemas" / "program.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def events_of(said: Path) -> list[Event]:
    """The lines, each of which the schema allows."""
    events = [json.loads(line) for line in said.read_bytes().splitlines()]
    for event in events:
        schema().validate(event)
    return events


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[bytes]
    said: Path
    errors: Path

    @property
    def events(self) -> list[Event]:
        return events_of(self.said)

    @property
    def port(self) -> int:
        return int(self.events[1]["port"])

    @property
    def peak_bytes(self) -> int:
        """The most memory that the process has held."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text("ascii").splitlines()
        (peak,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
        return int(peak) * 1024

    def end(self) -> None:
        """SIGTERM, and all that the contract promises of the end."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(END_LIMIT_S) == 0, self.errors.read_text()
        assert self.events[-1] == {"event": "end", "iterations": 0}
        assert self.errors.read_text() == ""


@dataclass(frozen=True)
class Program:
    language: str
    tier: str
    command: list[str]
    environment: dict[str, str]
    directory: str | None = None

    def spawn(self, words: list[str], said: int, errors: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.command, *words],
            env=surroundings(self.environment),
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=errors,
        )

    @contextlib.contextmanager
    def serving(self, folder: Path, said: Path, *options: str) -> Iterator[Running]:
        """Ready, and killed behind the block where it was not ended within."""
        errors = said.with_suffix(".errors")
        with said.open("wb") as output, errors.open("wb") as error:
            words = ["--input", str(folder), *options]
            process = self.spawn(words, output.fileno(), error.fileno())
        try:
            deadline_s = time.monotonic() + START_LIMIT_S
            while b'"ready"' not in said.read_bytes():
                assert process.poll() is None, errors.read_text()
                assert time.monotonic() < deadline_s, "is not ready"
                time.sleep(0.02)
            yield Running(process, said, errors)
        finally:
            process.kill()
            process.wait()

    def mistake(self, *words: str) -> str:
        """The one line that the user is told."""
        process = self.spawn(list(words), subprocess.PIPE, subprocess.PIPE)
        try:
            said, errors = process.communicate(timeout=START_LIMIT_S)
        finally:
            process.kill()
        assert process.returncode == 2, errors.decode()
        assert said == b""
        assert errors.startswith(f"{NAME}: ".encode())
        assert errors.count(b"\n") == 1
        assert errors.endswith(b"\n")
        return errors.decode()


def languages_and_tiers() -> list[tuple[str, str]]:
    return [(program.language, program.tier) for program in benchmark().programs]


def standard_languages() -> list[str]:
    return [language for language, tier in languages_and_tiers() if tier == STANDARD]


@functools.cache
def program_of(language: str, tier: str = STANDARD) -> Program:
    """By the language's usual runtime; skips where there is none."""
    variant = usual(language, tier)
    if variant is None:
        pytest.skip(f"no runtime for {language} here")
    artefact = artefact_of(variant, tier)
    return Program(language, tier, artefact.command, dict(artefact.environment), artefact.directory)


def artefact_of(variant: Variant, tier: str) -> Artefact:
    source = benchmark().program(variant.language, tier)
    assert source is not None
    try:
        return build(variant, source)
    except (UserMistake, Unsupported) as reason:
        pytest.skip(str(reason))


def usual(language: str, tier: str) -> Variant | None:
    source = benchmark().program(language, tier)
    minimum = source.recipe.minimum if source is not None and source.recipe is not None else ""
    ready = [
        variant
        for variant in variants()
        if variant.language == language
        and variant.state == "ready"
        and at_least(variant.version, minimum or "0")
    ]
    return min(ready, key=lambda variant: not variant.default, default=None)
