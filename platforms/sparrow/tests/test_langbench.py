"""Tests that the lab installs sparrow, and that the JavaScript programs run on it as on Node."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
LAB = REPOSITORY / "runfair"
LIMIT_S = 1800
# What has no server. The programs of `log` have one thread, because that is `verify`'s default.
OTHERS = ("sort", "colouring-recursive", "colouring-iterative", "log-indexed", "log-regex")


def lab(*words: str) -> subprocess.CompletedProcess[str]:
    """The lab's command, which uses the same private folder as sparrow's own command."""
    return subprocess.run(
        [LAB, *words],
        env={**os.environ, "COLUMNS": "400"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.fixture(scope="session")
def installed(sparrow: Path) -> Path:
    """The launcher, as the lab names it."""
    assert sparrow.exists()
    done = lab("install", "sparrow")
    assert done.returncode == 0, done.stderr
    return Path(done.stderr.rstrip().rpartition("start it with ")[2])


def verified(*benchmarks: str) -> tuple[int, set[str]]:
    """How many programs of the standard tier gave the canonical answer, and on which variants."""
    words = ("--no-lock", "--runtimes", "sparrow", "--tiers", "standard")
    done = lab("verify", *benchmarks, *words)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ok ")]
    assert done.returncode == 0, done.stdout + done.stderr
    return len(lines), {word for line in lines for word in line.split() if "sparrow-" in word}


def test_the_lab_names_one_launcher_that_runs(installed: Path, tmp_path: Path) -> None:
    assert installed.is_file()
    program = tmp_path / "program.js"
    program.write_text("console.log(process.versions.v8, process.argv[2]);")
    done = subprocess.run([installed, program, "word"], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\d+\.\d+\.\S+ word\n", done.stdout)
    listed = lab("list", "runtimes").stdout
    assert any("sparrow-" in line and str(installed) in line for line in listed.splitlines())


@pytest.mark.usefixtures("installed")
def test_sudoku_is_right_on_sparrow() -> None:
    count, variants = verified("sudoku")
    assert count == 4  # two workloads, on two variants
    assert {variant.endswith("+jitless") for variant in variants} == {True, False}


@pytest.mark.parametrize("tier", ["standard", "flat"])
def test_every_tier_is_started_by_the_launcher(tier: str, installed: Path) -> None:
    """The engine is Node's executable. Nothing may run on Node under sparrow's name."""
    asked = [str(installed), "-p", "process.versions.v8.split('-')[0]"]
    version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    words = ("--runtime", f"sparrow-{version}", "--tier", tier, "--size", "tiny", "--print")
    done = lab("exec", "sudoku", *words)
    assert f" {installed} " in done.stdout, done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("benchmark", OTHERS)
def test_every_program_without_a_server_is_right_on_sparrow(benchmark: str) -> None:
    count, variants = verified(benchmark)
    assert count >= 4
    assert len(variants) == 2


@pytest.mark.long
@pytest.mark.usefixtures("installed")
def test_log_is_right_with_two_threads() -> None:
    assert verified("log-indexed", "--threads", "2")[0] >= 2


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("benchmark", "tier", "said"),
    [
        (
            "file-server",
            "cluster",
            "the cluster program needs a variant with the setting node_net = true",
        ),
        ("key-value", "standard", "a module of Node's that sparrow lacks"),
    ],
)
def test_what_needs_more_of_node_is_said_to_be_unsupported(
    benchmark: str, tier: str, said: str
) -> None:
    words = ("--no-lock", "--runtimes", "sparrow", "--tiers", tier)
    done = lab("verify", benchmark, *words)
    assert said in done.stdout, done.stdout + done.stderr
    assert "ok " not in done.stdout
