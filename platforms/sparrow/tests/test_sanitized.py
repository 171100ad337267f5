"""The C++ under the address sanitizer: the tests of its servers, sockets and modules once more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLATFORM = Path(__file__).parents[1]
REPOSITORY = PLATFORM.parents[1]
TESTS = (
    "test_http.py",
    "test_http_end.py",
    "test_http_handlers.py",
    "test_http_heads.py",
    "test_parser.py",
    "test_websocket.py",
    "test_fetch.py",
    "test_tls.py",
    "test_https.py",
    "test_running.py",
    "test_inspector.py",
)
# The sanitizer needs a preload of its own, and more memory.
UNCHANGED = "not preload and not full_heap and not memory"
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer"
BUILDING_LIMIT_S = 1800
# A program of its own beside the platform, which reads behind what it has allocated.
LIAR = "int main(int count, char**) { auto* one = new int[1]; return one[count]; }"


@pytest.fixture(scope="module")
def libasan() -> str:
    """The sanitizer's library, which must be loaded before the engine's own functions are found."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is missing: apt-get install g++")
    asked = [compiler, "-print-file-name=libasan.so"]
    found = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_absolute():
        pytest.skip("libasan is missing: apt-get install g++")
    return str(Path(found).resolve())


def watched(command: Path, libasan: str, folder: Path) -> Path:
    """A script that starts the command under the sanitizers. Each process writes its findings to
    its own file in `folder`, because a test may not read the standard error of every process."""
    reports = folder / "reports"
    reports.mkdir()
    shared = f"log_path={reports}/report"
    script = folder / "watched"
    script.write_text(
        "#!/bin/sh\n"
        f"export LD_PRELOAD={libasan}\n"
        f"export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:exitcode=99:{shared}\n"
        f"export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99:{shared}\n"
        f'exec {command} "$@"\n'
    )
    script.chmod(0o755)
    return script


def reported(folder: Path) -> list[str]:
    return [file.read_text(errors="replace")[:4000] for file in (folder / "reports").iterdir()]


@pytest.fixture(scope="module")
def sanitized(sparrow: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A launcher whose library is compiled with the sanitizers."""
    asked = [str(sparrow), "-p", "process.execPath"]
    launcher = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    engine = Path(launcher).with_name("engine").resolve().parents[1]
    folder = tmp_path_factory.mktemp("sanitized")
    words = [f"ENGINE={engine}", f"OUT={folder}", "OPTIMISED=-O1 -g", f"SANITIZED={SANITIZERS}"]
    command = ["make", "-C", str(PLATFORM), "--silent", "-j", str(os.cpu_count()), *words]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=BUILDING_LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "sparrow"


@pytest.mark.long
def test_a_mistake_is_reported(libasan: str, sanitized: Path, tmp_path: Path) -> None:
    """A mistake ends the process and leaves a report, and programs are under the sanitizer."""
    (tmp_path / "liar.cpp").write_text(LIAR)
    liar = tmp_path / "liar"
    compiled = ["g++", *SANITIZERS.split(), str(tmp_path / "liar.cpp"), "-o", str(liar)]
    subprocess.run(compiled, check=True)
    assert subprocess.run([watched(liar, libasan, tmp_path)], check=False).returncode == 99
    assert any("heap-buffer-overflow" in report for report in reported(tmp_path))
    (tmp_path / "maps.js").write_text(
        "import { readText } from 'sparrow:files'; console.log(readText('/proc/self/maps'));"
    )
    folder = tmp_path / "program"
    folder.mkdir()
    command = [watched(sanitized, libasan, folder), tmp_path / "maps.js"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert libasan in done.stdout
    assert str(sanitized.with_name("libsparrow.so")) in done.stdout
    assert reported(folder) == []


@pytest.mark.long
def test_the_tests_pass_under_the_address_sanitizer(
    libasan: str, sanitized: Path, tmp_path: Path
) -> None:
    files = [Path(__file__).with_name(name) for name in TESTS]
    words = ["-m", "not long", "-p", "no:cacheprovider", "-k", UNCHANGED]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *files],
        cwd=REPOSITORY,
        env={**os.environ, "SPARROW_COMMAND": str(watched(sanitized, libasan, tmp_path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert reported(tmp_path) == []
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
