"""A program as its tests run it: both builds, with options of which a test states only those that
matter to it.

For all other options the defaults of `./runfair exec` are used: the default workload, the
parameters of size tiny, one thread, one iteration (three if operations are counted).
"""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import jsonschema
import pytest

from runfair.building.artefact import build
from runfair.building.build_folder import changed_environment
from runfair.building.failure import BuildFailed, Unsupported
from runfair.building.launch import program_options
from runfair.catalogue.benchmark import STANDARD, Benchmark, benchmarks
from runfair.catalogue.program import ProgramSource
from runfair.catalogue.runtime import recently_discovered
from runfair.catalogue.service import Framework
from runfair.errors import UserMistake
from runfair.experiment.untimed_run import COUNTED_ITERATIONS
from runfair.formats.distribution import samples_option
from runfair.formats.record import Scalar
from runfair.formats.variant import Artefact, Variant, at_least
from runfair.paths import REPOSITORY

LIMIT_S = 60
SIZE = "tiny"

Event = dict[str, Any]
Given = Mapping[str, Scalar | Path]


@dataclass(frozen=True)
class Outcome:
    """The exit status of a program and its output: lines that the schema allows, and text."""

    benchmark: str
    status: int
    events: list[Event]
    errors: str

    @classmethod
    def of(cls, benchmark: str, status: int, output: bytes, errors: bytes) -> Self:
        return cls(benchmark, status, events_of(output), errors.decode(errors="replace"))

    def of_event(self, event: str) -> list[Event]:
        return [line for line in self.events if line["event"] == event]

    @property
    def start(self) -> Event:
        return self.events[0]

    @property
    def digest(self) -> str:
        """The digest, which must be equal in every iteration."""
        (digest,) = {line["digest"] for line in self.of_event("iteration")}
        return str(digest)

    @property
    def counters(self) -> dict[str, int]:
        """The counts, which must be equal in every iteration. There must be several iterations."""
        first, *others = [line["counters"] for line in self.of_event("operations")]
        assert len(others) == COUNTED_ITERATIONS - 1
        assert all(other == first for other in others), (first, others)
        return dict(first)

    def check_refused(self, message: str, *events: str) -> None:
        """Checks that the program ended with status 2 and one error line, after these events.
        `message` is the whole line, or its beginning if `message` ends with '…'."""
        assert self.status == 2, self.errors
        assert [line["event"] for line in self.events] == list(events)
        expected = f"{self.benchmark}: {message}"
        assert self.errors.count("\n") == 1, self.errors
        assert self.errors.endswith("\n")
        if expected.endswith("…"):
            assert self.errors.startswith(expected[:-1])
        else:
            assert self.errors == f"{expected}\n"


@dataclass(frozen=True)
class BuiltProgram:
    """A program of one language and tier, under the default runtime of the language."""

    benchmark: Benchmark
    source: ProgramSource
    timed: Artefact
    variant: Variant

    @property
    def language(self) -> str:
        return self.source.language

    @property
    def tier(self) -> str:
        return self.source.tier

    @functools.cached_property
    def counted(self) -> Artefact:
        return artefact_of(self.variant, self.source, counted=True)

    def options(self, **own: Scalar | Path) -> list[str]:
        given: dict[str, Scalar | Path] = {
            "iterations": COUNTED_ITERATIONS if "count" in own else 1
        }
        return options_of(self.benchmark, given | own)

    def start(
        self, *options: str, stdin: Any = subprocess.DEVNULL, artefact: Artefact | None = None
    ) -> subprocess.Popen[bytes]:
        """Start `artefact`; by default it is the build that the options need."""
        if artefact is None:
            artefact = self.counted if "count=1" in options else self.timed
        return subprocess.Popen(
            [*artefact.command, *options],
            env=changed_environment(artefact.environment),
            cwd=artefact.directory,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run_with(self, *options: str, artefact: Artefact | None = None) -> Outcome:
        with self.start(*options, artefact=artefact) as process:
            output, errors = finish(process)
        return Outcome.of(self.source.benchmark, process.returncode, output, errors)

    def run(self, **own: Scalar | Path) -> Outcome:
        """Run the program to its end. With `count=1` the counted build is run, otherwise the timed
        build."""
        return self.run_with(*self.options(**own))

    def say(self, **own: Scalar | Path) -> Outcome:
        """Run the program, which must succeed, and return its output."""
        outcome = self.run(**own)
        assert outcome.status == 0, outcome.errors
        check_order(outcome.events)
        return outcome


def options_of(benchmark: Benchmark, own: Given) -> list[str]:
    """All options that the contract defines for a program, including the test's own."""
    texts: dict[str, Scalar] = {
        name: str(value) if isinstance(value, Path) else value for name, value in own.items()
    }
    parameters = {name: texts.pop(name) for name in benchmark.text.parameters if name in texts}
    given = benchmark.parameters(SIZE, parameters)
    if benchmark.form:
        given["form"] = texts.pop("form", benchmark.form)
    workload = str(texts.pop("workload", benchmark.text.default_workload))
    seed, threads = (int(texts.pop(name, 1)) for name in ("seed", "threads"))
    options = program_options(given, workload=workload, seed=seed, threads=threads)
    if "samples" not in texts:
        options += samples_option(benchmark.text.distributions, samples_folder())
    return options + [f"{name}={value}" for name, value in texts.items()]


@functools.cache
def samples_folder() -> Path:
    """A folder for the samples of recorders, for tests that do not read them."""
    return Path(tempfile.mkdtemp(prefix="runfair-samples-"))


@functools.cache
def built(benchmark: str, language: str, tier: str = STANDARD, runtime: str = "") -> BuiltProgram:
    """The program, built for the runtime; by default, for the default runtime of the language.
    Skips the test if the runtime is missing or cannot run the program."""
    whole = benchmarks()[benchmark]
    source = whole.program(language, tier)
    assert source is not None, f"{benchmark} has no {tier} in {language}"
    known = recently_discovered()[1].variants
    variant = next((v for v in known if v.name == runtime), None) or usual(source)
    if variant is None or runtime not in ("", variant.name):
        pytest.skip(f"no {runtime or f'runtime for {language}'} here")
    return BuiltProgram(whole, source, artefact_of(variant, source), variant)


def usual(source: ProgramSource) -> Variant | None:
    """The default variant of the language, or the first that is new enough for the program."""
    ready = [
        variant
        for variant in recently_discovered()[1].variants
        if variant.language == source.language
        and variant.state == "ready"
        and at_least(variant.version, source.oldest or "0")
    ]
    return min(ready, key=lambda variant: not variant.default, default=None)


def variant_of(framework: Framework) -> Variant:
    """A variant that is ready: the default variant of the language, otherwise a variant of the
    framework's families. Skips the test if there is none."""
    text = framework.text
    ready = [
        variant
        for variant in recently_discovered()[1].variants
        if variant.family in text.families
        and variant.state == "ready"
        and at_least(variant.version, text.minimum or "0")
    ]
    if not ready:
        pytest.skip(f"no runtime for {framework.name} here")
    families = text.families.index
    return min(ready, key=lambda each: (not each.default, families(each.family)))


def artefact_of(variant: Variant, source: ProgramSource, *, counted: bool = False) -> Artefact:
    try:
        return build(variant, source, counted=counted)
    except BuildFailed:
        raise
    except (UserMistake, Unsupported) as reason:
        pytest.skip(str(reason))


def finish(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """The output of the program. If the program runs for too long, it is ended, and the test
    fails."""
    try:
        return process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


def events_of(output: bytes) -> list[Event]:
    """The lines of the output. The schema must allow each of them."""
    assert output.endswith(b"\n") or not output
    events = [json.loads(line) for line in output.splitlines()]
    for event in events:
        schema().validate(event)
    return events


def check_order(events: list[Event]) -> None:
    """Checks the order of the lines: start, the iterations in order (each followed by its
    operations, if any), end."""
    first, *between, last = events
    assert (first["event"], last["event"]) == ("start", "end")
    iterations = [line for line in between if line["event"] == "iteration"]
    assert [line["index"] for line in iterations] == list(range(last["iterations"]))
    kinds = [line["event"] for line in between]
    counted = ["iteration", "operations"] * len(iterations)
    assert kinds in (["iteration"] * len(iterations), counted)
    ended_ns = first["monotonic_ns"]
    for line in iterations:
        assert line["started_monotonic_ns"] >= ended_ns
        ended_ns = line["started_monotonic_ns"] + line["wall_ns"]


@functools.cache
def schema() -> jsonschema.Draft202012Validator:
    text = (REPOSITORY / "schemas" / "program.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
