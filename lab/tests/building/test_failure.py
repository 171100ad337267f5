"""Builds that fail for a reason that passes, and builds that fail for good."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runfair.building.artefact import build
from runfair.building.build_folder import made
from runfair.building.crate import rust_for
from runfair.building.failure import BuildFailed, BuildHindered, Unsupported, transient_reason
from runfair.catalogue.family import BuildRecipe, LogReason, RunRecipe, Step
from runfair.catalogue.program import ProgramRecipe, ProgramSource
from runfair.errors import UserMistake
from runfair.formats.variant import Variant

Ready = Callable[..., Variant]
Program = Callable[[str], ProgramSource]


@pytest.fixture
def registry() -> Iterator[str]:
    """The address of a registry that cannot be reached: nobody listens on its port."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/"


def pip(registry: str) -> list[str]:
    return [
        *(sys.executable, "-m", "pip", "download", "--no-input", "--retries", "1"),
        *("--index-url", registry, "somewhere"),
    ]


def npm(registry: str) -> list[str]:
    if shutil.which("npm") is None:
        pytest.skip("npm is not here")
    options = [f"--registry={registry}", "--fetch-retries=0", "--no-audit", "--no-update-notifier"]
    return ["npm", "install", *options, "somewhere"]


def cargo(registry: str) -> list[str]:
    try:
        rustc = Path(str(rust_for("cargo", "1.70").executable))
    except UserMistake as missing:
        pytest.skip(str(missing))
    source = "{output}/package"
    replaced = f"source.crates-io.replace-with='away'\nsource.away.registry='sparse+{registry}'"
    settings = [word for line in replaced.splitlines() for word in ("--config", line)]
    make = (
        f"mkdir -p {source}/src && cd {source} && echo 'fn main() {{}}' >src/main.rs && "
        'printf \'[package]\\nname = "small"\\nversion = "1.0.0"\\n'
        '[dependencies]\\nsomewhere = "1"\\n\' >Cargo.toml && '
        "CARGO_NET_RETRY=0 CARGO_HOME={output}/home "
        f'RUSTC={rustc} exec {rustc.with_name("cargo")} build "$@"'
    )
    return ["sh", "-c", make, "cargo", *settings]


def built_by(source: ProgramSource, *steps: list[str], unsupported: str = "") -> ProgramSource:
    known = [LogReason(log=unsupported, reason="the library is missing")] if unsupported else []
    recipe = ProgramRecipe(
        build=BuildRecipe(sources=["{folder}/*"], steps=[Step(run=step) for step in steps]),
        run=RunRecipe(command=["{executable}", "{folder}/squares.py"]),
        unsupported=known,
    )
    return replace(source, recipe=recipe)


@pytest.mark.parametrize("tool", [pip, npm, cargo])
def test_a_registry_that_cannot_be_reached_is_a_passing_reason(
    tool: Callable[[str], list[str]], registry: str, ready_variant: Ready, program: Program
) -> None:
    source = built_by(program("python"), tool(registry), unsupported="somewhere")
    with pytest.raises(BuildHindered) as failure:
        build(ready_variant("cpython"), source)
    assert failure.value.line and failure.value.line in str(failure.value)
    assert "\n" not in str(failure.value)
    log = Path(str(failure.value).rsplit("see ", 1)[1])
    assert failure.value.line in log.read_text()


def shell(text: str) -> list[str]:
    return ["sh", "-c", text]


@pytest.mark.parametrize(
    "step",
    [
        "echo 'squares.c:3:1: error: unknown type name'; exit 1",
        "echo 'warning: spurious network error (3 tries remaining): connection refused';"
        "echo 'error[E0308]: mismatched types'; exit 1",
        "exit 1",
    ],
    ids=["a compiler refuses it", "refused after a retry", "nothing said"],
)
def test_a_program_that_cannot_be_built_fails_for_good(
    step: str, ready_variant: Ready, program: Program
) -> None:
    with pytest.raises(BuildFailed) as failure:
        build(ready_variant("cpython"), built_by(program("python"), shell(step)))
    assert not isinstance(failure.value, BuildHindered)


def test_what_an_earlier_step_survived_is_no_reason(ready_variant: Ready, program: Program) -> None:
    steps = shell("echo 'connection timed out, trying again'"), shell("echo 'no such file'; exit 1")
    with pytest.raises(BuildFailed) as failure:
        build(ready_variant("cpython"), built_by(program("python"), *steps))
    assert not isinstance(failure.value, BuildHindered)


def test_a_known_reason_stays_unsupported(ready_variant: Ready, program: Program) -> None:
    step = shell("echo 'fatal error: some.h: No such file'; exit 1")
    source = built_by(program("python"), step, unsupported="some.h")
    with pytest.raises(Unsupported, match="the library is missing"):
        build(ready_variant("cpython"), source)


def test_a_full_disk_is_a_passing_reason(
    tmp_path: Path, ready_variant: Ready, program: Program
) -> None:
    """A tool that cannot write, and the lab that cannot."""
    step = shell("echo 'ld: final link failed: No space left on device'; exit 1")
    with pytest.raises(BuildHindered, match="final link failed: No space left"):
        build(ready_variant("cpython"), built_by(program("python"), step))

    def full(_: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(BuildHindered) as failure:
        made(tmp_path / "key", full)
    assert failure.value.line == os.strerror(errno.ENOSPC)

    def forbidden(_: Path) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with pytest.raises(PermissionError):
        made(tmp_path / "key", forbidden)


def test_without_a_log_there_is_no_reason(tmp_path: Path) -> None:
    assert transient_reason(tmp_path / "none.log") is None
