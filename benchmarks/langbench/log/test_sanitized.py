"""Tests the C++ and the Go program under sanitizers and race detectors, with several workers at
once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from built_program import events_of, options_of
from langbench.log.awkward_logs import awkward_folder, awkward_queries
from langbench.log.transcription import expected_of, queries_file, written
from runfair.building.build_folder import changed_environment
from runfair.catalogue.benchmark import benchmarks
from runfair.formats.record import Scalar
from sanitized_build import GO_ENVIRONMENT, MEMORY, STILL, THREADS, build_cpp, build_go

FOLDER = Path(__file__).parent
RUN_LIMIT_S = 120
# Sanitizers enlarge the stack frames in which std::regex recurses.
BEFORE = (*STILL, "prlimit", f"--stack={1 << 28}")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["threads", "memory", "go"])
@pytest.mark.parametrize("tier", ["standard", "shared-dictionary"])
def test_under_sanitizers(kind: str, tier: str, tmp_path: Path) -> None:
    for tool in (STILL[0], "prlimit"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    program = tmp_path / "program"
    if kind == "go":
        build_go(FOLDER / "go", program, tags="" if tier == "standard" else "shared")
    else:
        folder_of_tier = FOLDER / ("cpp" if tier == "standard" else f"{tier}/cpp")
        build_cpp(folder_of_tier, program, THREADS if kind == "threads" else MEMORY)
    surrounded = changed_environment(GO_ENVIRONMENT)
    folder = awkward_folder(9)
    logs = written(tmp_path / "logs", folder)
    queries = awkward_queries(10, folder)
    named = queries_file(tmp_path / "queries", queries)
    benchmark = benchmarks()["log-indexed"]
    for form, expected in expected_of(folder, queries).items():
        own: dict[str, Scalar | Path] = {"form": form, "queries": named, "input": logs}
        for threads in (1, 7):
            told = options_of(benchmark, own | {"threads": threads, "iterations": 1, "count": 1})
            done = subprocess.run(
                [*BEFORE, program, *told],
                env=surrounded,
                capture_output=True,
                timeout=RUN_LIMIT_S,
                check=False,
            )
            assert done.returncode == 0, done.stderr.decode()
            assert done.stderr == b""
            events = events_of(done.stdout)
            assert [line["digest"] for line in events if "digest" in line] == [expected.digest()]
