from __future__ import annotations

from pathlib import Path

import pytest

from runfair.events.instrumentation import GO_BUILD_INFO, family_of_command


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def executable(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def told(folder: Path, *command: str) -> str | None:
    return family_of_command(command, {"PATH": str(folder)})


ELF = b"\x7fELF" + bytes(100)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("java", "openjdk"),
        ("node", "node"),
        ("sparrow", "sparrow"),
        ("bun", "bun"),
        ("python3.11", "cpython"),
        ("python3.14t", "cpython"),
        ("pypy3", "pypy"),
        ("javac", None),
        ("server", None),
    ],
)
def test_by_name(name: str, family: str | None, bin_folder: Path) -> None:
    path = executable(bin_folder / name, ELF)
    assert told(bin_folder, name, "app") == family
    assert told(bin_folder, str(path)) == family


def test_a_go_binary_by_its_build_information(bin_folder: Path) -> None:
    # It lies across the border of two reads.
    executable(bin_folder / "server", ELF[:4] + bytes((1 << 20) - 7) + GO_BUILD_INFO + bytes(50))
    assert told(bin_folder, "server") == "go"


def test_scripts_are_followed_to_their_interpreters(bin_folder: Path) -> None:
    python = executable(bin_folder / "python3", ELF)
    executable(bin_folder / "node", ELF)
    executable(bin_folder / "uvicorn", b"#!%b -I\nimport x\n" % bytes(python))
    executable(bin_folder / "npx", b"#!/usr/bin/env node\nrequire('x')\n")
    executable(bin_folder / "start", b"#!/bin/sh\nexec something\n")
    executable(bin_folder / "loop", b"#!%b\n" % bytes(bin_folder / "loop"))
    assert told(bin_folder, "uvicorn", "app:app") == "cpython"
    assert told(bin_folder, "npx", "server") == "node"
    assert told(bin_folder, "start") is None
    assert told(bin_folder, "loop") is None


def test_env_is_followed_to_what_it_starts(bin_folder: Path) -> None:
    executable(bin_folder / "java", ELF)
    assert told(bin_folder, "env", "-i", "A=b c", "java", "-jar", "x") == "openjdk"
    assert told(bin_folder, "/usr/bin/env", "-S", "java -jar x") == "openjdk"
    assert told(bin_folder, "env", "-u", "A", "--chdir", "/", "java", "-jar", "x") == "openjdk"
    assert told(bin_folder, "env") is None


def test_a_virtual_environments_python_may_be_pypy(bin_folder: Path) -> None:
    executable(bin_folder / "pypy3.9", ELF)
    (bin_folder / "python").symlink_to("pypy3.9")
    assert told(bin_folder, "python", "-m", "app") == "pypy"


def test_what_is_not_there(bin_folder: Path) -> None:
    assert told(bin_folder, "nothing") is None
    assert told(bin_folder) is None
