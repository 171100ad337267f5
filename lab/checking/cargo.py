"""Runs Cargo's tests and counts them one by one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from checking.step import Counted, Output, Skipped, Step, errors_of
from checking.toolchain import Toolchain
from runfair.paths import private_folder

_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;", re.M)
_RUNNING = re.compile(r"^running \d+ tests?$", re.M)
_FAILED = re.compile(r"^test (\S+) \.\.\. FAILED$", re.M)
_IGNORED = re.compile(r"^test (.+?) \.\.\. ignored(?:, (.+))?$", re.M)
# Lines about passed tests, which add nothing to the count.
_DULL = re.compile(r"^(?:test .* \.\.\. ok|running \d+ tests?|)$")


def shared_target() -> dict[str, str]:
    """The environment of cargo: a common target folder for all crates of the repository, because
    many have the same dependencies. There is no debug information, which takes time to compile and
    to link: a failed test names its line without it. Nor is there an incremental cache, which costs
    a first build 15% of its time.
    """
    return {
        "CARGO_TARGET_DIR": str(private_folder() / "check" / "cargo"),
        "CARGO_PROFILE_DEV_DEBUG": "none",
        "CARGO_INCREMENTAL": "0",
    }


def clippy(*crates: str) -> tuple[str, ...]:
    """Cargo's words that lint these crates and take warnings as errors."""
    return ("clippy", "--quiet", *crates, "--locked", "--", "-D", "warnings")


def cargo_test(
    name: str,
    *words: str,
    needs: Toolchain,
    directory: Path,
    environment: Mapping[str, str],
    only: Sequence[str] = (),
) -> Step:
    """A step that runs `cargo test WORDS`: unit tests, integration tests and examples in the
    documentation.

    All tests run even if some fail. The failed tests can be run again by themselves, unless a test
    program crashed. `only` names the tests to run; if it is empty, all tests run.
    """
    names = ["--", "--exact", *only] if only else []

    def run(output: Output) -> Counted:
        if needs.executable is None:
            return Counted(skipped=(Skipped(name, needs.missing),))
        surroundings = {**needs.environment, **environment}
        test = [str(needs.path), "test", *words]
        built = subprocess.run(
            [*test, "--quiet", "--no-run"],
            cwd=directory,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors_of(output),
            check=False,
        )
        if built.returncode != 0:
            return Counted(failed=1)
        with subprocess.Popen(
            [*test, "--no-fail-fast", *names],
            cwd=directory,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
            errors="replace",
        ) as process:
            assert process.stdout is not None
            said = []
            for line in process.stdout:
                said.append(line)
                if not _DULL.match(line.rstrip("\n")):
                    print(line, end="", file=output, flush=True)
        text = "".join(said)
        counted = read_cargo_test(name, text, process.returncode)
        failed = _FAILED.findall(text)
        if not failed or counted.failed != len(failed) or _crashed(text):
            return counted
        again = cargo_test(
            f"{name}, again",
            *words,
            needs=needs,
            directory=directory,
            environment=environment,
            only=failed,
        )
        return replace(counted, again=again)

    return Step(name, run)


def read_cargo_test(name: str, said: str, status: int) -> Counted:
    """The outcome of the tests, read from the closing line of each test program. A program without
    this line is a failure. If the exit status is bad, or if no test ran, the outcome is never a
    pass.
    """
    counts = [tuple(map(int, found)) for found in _RESULT.findall(said)]
    passed, failed, ignored = (
        (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
    )
    reasons = tuple(
        Skipped(f"{name}: {test}", reason or "ignored, without a reason")
        for test, reason in _IGNORED.findall(said)
    )
    failed += _crashed(said)
    if len(reasons) != ignored:
        return Counted(passed, failed + 1, reasons)
    if (status != 0 or not passed) and not failed:
        return Counted(passed, 1, reasons)
    return Counted(passed, failed, reasons)


def _crashed(said: str) -> int:
    """The number of test programs that began, but printed no closing line."""
    return max(len(_RUNNING.findall(said)) - len(_RESULT.findall(said)), 0)
