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
from runfair.paths import BENCHMARKS

FOLDER = Path(__file__).parent
BUILD_LIMIT_S = 300
RUN_LIMIT_S = 120
CPP = ("g++", "-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS")
MEMORY = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
# Where the kernel randomises more bits of an address than the thread sanitizer of gcc 12 knows, it
# cannot start. Sanitizers make the frames larger in which std::regex recurses.
BEFORE = ("setarch", "-R", "prlimit", f"--stack={1 << 28}")


def cpp(to: Path, *flags: str) -> list[str]:
    include = ["-I", str(BENCHMARKS / "harness" / "cpp")]
    return [*CPP, *flags, *include, str(FOLDER / "cpp" / "log.cpp"), "-pthread", "-o", str(to)]


def go(to: Path) -> list[str]:
    return ["go", "build", "-race", "-o", str(to), f"./{(FOLDER / 'go').relative_to(BENCHMARKS)}"]


@pytest.mark.long
@pytest.mark.parametrize("kind", ["threads", "memory", "go"])
def test_under_sanitizers(kind: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    build = {
        "threads": cpp(program, "-fsanitize=thread"),
        "memory": cpp(program, *MEMORY),
        "go": go(program),
    }[kind]
    for tool in (build[0], BEFORE[0], BEFORE[2]):
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool} here")
    surrounded = surroundings({"CGO_ENABLED": "1", "GORACE": "halt_on_error=1 exitcode=66"})
    subprocess.run(build, cwd=BENCHMARKS, env=surrounded, timeout=BUILD_LIMIT_S, check=True)
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
