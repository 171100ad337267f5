"""The lab as its users have it: `./runfair` in a process of its own, real programs, real files."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runfair.catalogue.runtime import variants
from runfair.formats.run_folder import RunFolder
from runfair.paths import REPOSITORY
from runfair.report.assessment import assess

PATIENCE_S = 300.0


def default_of(language: str) -> str:
    """The name of the variant that stands for a language on this machine; skips without one."""
    for one in variants():
        if one.language == language and one.default and one.state == "ready":
            return one.name
    pytest.skip(f"nothing here runs {language}; ./runfair list runtimes says how to have it")


def small(max_seconds: float = 0.3) -> str:
    """Two compiled languages, sixteen executions, in a few seconds."""
    return f"""
about = "two compiled languages, in a few seconds"

[[measure]]
benchmarks = ["sort"]
workloads = ["classic"]
variants = ["{default_of("c++")}", "{default_of("rust")}"]
modes = ["steady", "cold"]

[profiles.smoke]
executions = 4
max_seconds = {max_seconds}
"""


@dataclass
class Lab:
    """`./runfair` with results and the user's runtimes in a scratch folder."""

    scratch: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def results(self) -> Path:
        return self.scratch / "results"

    def experiment(self, text: str | None = None, name: str = "small") -> str:
        path = self.scratch / f"{name}.toml"
        path.write_text(small() if text is None else text)
        return str(path)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [REPOSITORY / "runfair", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "RUNFAIR_RESULTS": str(self.results),
                "RUNFAIR_WAIT": str(PATIENCE_S),  # somebody else may be measuring here
                **self.environment,
            },
            **options,
        )

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments)
        out, err = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def measured(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A run whose verdicts are the machine's: noise decides whether every question has an
        answer. Its status has to agree with the conclusion that its own files lead to."""
        done = self(*arguments)
        self.require_agreement(done.returncode, done.stderr)
        return done

    def require_agreement(self, status: int, said: str) -> None:
        """Status 3, and the line that says so, if and only if a question of the newest run has no
        answer."""
        assert status not in (1, 2), said  # a bug, or a mistake of the test's
        conclusion = assess(RunFolder.find("latest", self.results)).conclusion
        assert conclusion.questions
        left = len(conclusion.open)
        assert status == (3 if left else 0), said
        assert (f"{left} of {len(conclusion.questions)} question" in said) == bool(left), said
        assert "Traceback" not in said

    def refuses(self, *arguments: str) -> str:
        """The one line of a user's mistake (exit 2)."""
        done = self(*arguments)
        lines = done.stderr.strip().splitlines()
        assert done.returncode == 2, done.stderr
        assert "Traceback" not in done.stderr
        assert len([line for line in lines if line.startswith("runfair: ")]) == 1
        return lines[-1]

    def run_folder(self) -> Path:
        (folder,) = [one for one in self.results.iterdir() if one.is_dir()]
        return folder

    def plan(self) -> dict[str, Any]:
        plan: dict[str, Any] = json.loads((self.run_folder() / "experiment.json").read_text())
        return plan

    def executions(self) -> list[dict[str, Any]]:
        """At least one: without any, what is said of each would hold."""
        lines = (self.run_folder() / "executions.jsonl").read_text().splitlines()
        assert lines
        return [json.loads(line) for line in lines]

    def add_runtime(self, name: str, script: str, settings: str = "") -> None:
        """A runtime of the user's own, by TOML alone: a script that answers as a program does."""
        program = self.scratch / name
        program.write_text(script)
        program.chmod(0o755)
        catalogue = self.scratch / "runtimes.toml"
        with catalogue.open("a") as file:
            file.write(
                f'[{name}]\nlanguage = "c++"\nsearch = ["{program}"]\ninstall = "none"\n'
                f'identify = {{ command = ["echo", "1.0"], patterns = {{ version = "(.+)" }} }}\n'
                f'build = {{ sources = ["{program}"] }}\n'
                f'run = {{ command = ["{{executable}}"] }}\n'
                f'variants = {{ "" = {{ {settings} }} }}\n\n'
            )
        self.environment["RUNFAIR_RUNTIMES"] = str(catalogue)


def wait_until(condition: Callable[[], bool], limit_s: float = PATIENCE_S) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        time.sleep(0.05)
