"""Steps with many tests, counted one by one: pytest's tests, and the programs that
`verify` runs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from checking.step import Counted, Output, Skipped, Step, errors_of
from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.service import service_benchmarks
from runfair.paths import REPOSITORY

PLAIN = "plain"  # the tier that only the 1.1 rule needs
# Tiers that only `--long` verifies. The libraries of C++'s further tiers take long to compile.
# `shared-dictionary` differs from `standard` in one class.
LONG_TIERS = {PLAIN, "abseil", "asio", "boost", "shared-dictionary"}
# Services that only `--long` verifies: the ordinary check verifies gRPC in Go alone, no second
# framework on Node, one framework of Java, and the web tests with one framework of each language.
LONG_SERVICES = {
    "payments": {"express", "grpc-java", "spring", "tonic", "vertx"},
    "techempower": {
        "actix-web",
        "beast",
        "blacksheep",
        "bun",
        "elysia",
        "fasthttp",
        "fastify",
        "fiber",
        "granian",
        "h2o",
        "helidon",
        "jooby",
        "may-minihttp",
        "netty",
        "ntex",
        "robyn",
        "vertx",
        "wizzardo-http",
    },
}
# Forms that share one program in each language. The ordinary check verifies the forms named here;
# `--long` verifies every form.
REPRESENTATIVES = {
    "savina": {
        "savina-bank-transactions",
        "savina-big",
        "savina-chameneos",
        "savina-counting",
        "savina-ping-pong",
    },
    "sends": {"sends-five-arguments", "sends-waiting-sends"},
}
TESTS_FAILED = 1  # pytest's exit status if all tests ran and some failed
NO_TESTS_COLLECTED = 5  # pytest's exit status if the selection contains no test
SLOWEST = ("--durations=5", "--durations-min=1")
_SUMMARY = re.compile(
    r"^(\d+) (?:verified|caught), (\d+) (?:failed|survived), (\d+) skipped$", re.MULTILINE
)
_SKIPPED = re.compile(r"^skipped (.+?): (.+)$", re.MULTILINE)


def pytest(
    name: str,
    arguments: Sequence[str | Path],
    environment: Mapping[str, str] | None = None,
    *,
    directory: Path = REPOSITORY,
) -> Step:
    """A pytest run. The failed tests can be run again, in one process."""

    def run(output: Output) -> Counted:
        with tempfile.TemporaryDirectory() as scratch:
            report, cache = Path(scratch) / "junit.xml", Path(scratch) / "cache"
            words = [sys.executable, "-m", "pytest", *SLOWEST, *map(str, arguments)]
            done = subprocess.run(
                [*words, f"--junit-xml={report}", "-o", f"cache_dir={cache}"],
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors_of(output),
                check=False,
            )
            if done.returncode == NO_TESTS_COLLECTED:
                return Counted(skipped=(Skipped(name, "no test is selected"),))
            if not report.exists():
                return Counted(failed=1)
            counted = read_junit(report)
            failed = read_last_failed(cache)
        if done.returncode != 0 and not counted.failed:
            return counted + Counted(failed=1)
        # With any other status, pytest stopped early, and some tests did not run.
        if done.returncode == TESTS_FAILED and failed and counted.failed == len(failed):
            return replace(
                counted, again=pytest(f"{name}, again", failed, environment, directory=directory)
            )
        return counted

    return Step(name, run)


def read_last_failed(cache: Path) -> list[str]:
    """The tests that failed, from pytest's own cache; empty if it wrote none."""
    file = cache / "v" / "cache" / "lastfailed"
    return list(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else []


def read_junit(report: Path) -> Counted:
    """The counts in pytest's report. If a failed test also has an error in its tear-down, it counts
    as one failure."""
    outcomes: dict[tuple[str, str], str] = {}
    skipped: list[Skipped] = []
    for case in ET.parse(report).iter("testcase"):
        key = (case.get("classname", ""), case.get("name", ""))
        if case.find("failure") is not None or case.find("error") is not None:
            outcomes[key] = "failed"
        elif (skip := case.find("skipped")) is not None:
            outcomes.setdefault(key, "skipped")
            skipped.append(Skipped(case.get("name", ""), skip.get("message", "")))
        else:
            outcomes.setdefault(key, "passed")
    counts = list(outcomes.values())
    return Counted(counts.count("passed"), counts.count("failed"), tuple(skipped))


def verify(
    name: str, command: Sequence[str | Path], environment: Mapping[str, str] | None = None
) -> Step:
    """A step that runs `runfair verify`. The programs or mutants that `verify` runs are counted one
    by one."""

    def run(output: Output) -> Counted:
        with subprocess.Popen(
            [str(word) for word in command],
            cwd=REPOSITORY,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        ) as process:
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                print(line, end="", file=output, flush=True)
                said.append(line)
        return read_verify(name, "".join(said), process.returncode)

    return Step(name, run)


def read_verify(name: str, said: str, status: int) -> Counted:
    """The outcome of `runfair verify`, read from its closing line. If the exit status is bad, the
    outcome is never a pass."""
    closing = _SUMMARY.findall(said)
    if not closing:
        return Counted(failed=1)
    passed, failed, skipped = map(int, closing[-1])
    told = tuple(Skipped(f"{name}: {test}", why) for test, why in _SKIPPED.findall(said))
    if len(told) != skipped:
        return Counted(passed, failed + 1, told)
    if status != 0 and not failed:
        return Counted(passed, 1, told)
    return Counted(passed, failed, told)


def threaded() -> list[str]:
    """The benchmarks whose programs can use several threads, as their `benchmark.toml` states."""
    return [name for name, one in benchmarks().items() if one.text.threaded]


def ordinary(names: Collection[str]) -> list[str]:
    """Arguments of `runfair verify` that select these benchmarks in all tiers except `LONG_TIERS`.
    A form that a representative stands for is left out.
    """
    known = benchmarks()
    chosen = [name for name in names if name in REPRESENTATIVES.get(known[name].text.name, {name})]
    every = {program.tier for name in chosen for program in known[name].programs}
    tiers = [word for tier in sorted(every - LONG_TIERS) for word in ("--tiers", tier)]
    return [*chosen, *tiers]


def ordinary_services(name: str) -> list[str]:
    """Arguments of `runfair verify` that select a benchmark's services except `LONG_SERVICES`."""
    chosen = sorted({*service_benchmarks()[name].frameworks} - LONG_SERVICES.get(name, set()))
    return [name, *(word for service in chosen for word in ("--services", service))]


def single_threaded() -> list[str]:
    """The benchmarks whose programs use one thread."""
    return [name for name, one in benchmarks().items() if not one.text.threaded]
