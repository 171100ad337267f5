"""The C++ and the Go program under sanitizers and race detectors, several workers at once."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from langbench.log.awkward_logs import awkward_folder, awkward_queries
from langbench.log.transcription import expected_of, queries_file, written
from runfair.building.workshop import surroundings
from sanitized_build import GO_ENVIRONMENT, MEMORY, STILL, THREADS, build_cpp, build_go

FOLDER = Path(__file__).parent
RUN_LIMIT_S = 120
# Sanitizers make the frames larger in which std::regex recurses.
BEFORE = (*STILL, "prlimit", f"--stack={1 << 28}")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["threads", "memory", "go"])
def test_under_sanitizers(kind: str, tmp_path: Path) -> None:
    for tool in (STILL[0], "prlimit"):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    program = tmp_path / "program"
    if kind == "go":
        build_go(FOLDER / "go", program)
    else:
        build_cpp(FOLDER / "cpp", program, THREADS if kind == "threads" else MEMORY)
    surrounded = surroundings(GO_ENVIRONMENT)
    folder = awkward_folder(9)
    logs = written(tmp_path / "logs", folder)
    queries = awkward_queries(10, folder)
    named = queries_file(tmp_path / "queries", queries)
    for form, expected in expected_of(folder, queries).items():
        told = ["--param", f"form={form}", "--param", f"queries={named}", "--count"]
        for threads in ("1", "7"):
            done = subprocess.run(
                [
                    *BEFORE,
                    program,
                    "--workload",
                    "spark",
                    "--input",
                    logs,
                    "--threads",
                    threads,
                    *told,
                ],
                env=surrounded,
                capture_output=True,
                timeout=RUN_LIMIT_S,
                check=False,
            )
            assert done.returncode == 0, done.stderr.decode()
            assert done.stderr == b""
            events = [json.loads(line) for line in done.stdout.splitlines()]
            digests = [event["digest"] for event in events if event["event"] == "iteration"]
            assert digests == [expected.digest()]
