"""Build folders: whole or absent, one builder at a time."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from runfair.building.build_folder import BuildSteps, changed_environment, failed_log, made
from runfair.building.failure import BuildFailed
from runfair.catalogue.family import BUILT_IN, load_families

SLOW_BUILD = """
import sys, time
from pathlib import Path
from runfair.building.build_folder import made

def make(staging):
    (staging / "half").write_text("half")
    print("begun", flush=True)
    time.sleep(60)

made(Path(sys.argv[1]), make)
"""


def test_killed_build_leaves_nothing_half_and_is_done_again(tmp_path: Path) -> None:
    folder = tmp_path / "builds" / "key"
    lab = Path(__file__).parents[2]
    builder = subprocess.Popen(
        [sys.executable, "-c", SLOW_BUILD, str(folder)],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(lab)},
    )
    with builder:
        assert builder.stdout is not None
        assert builder.stdout.readline() == b"begun\n"
        builder.send_signal(signal.SIGKILL)
    assert not folder.exists()
    assert list(folder.parent.glob(".building-*"))

    made(folder, lambda staging: (staging / "whole").touch())

    assert [path.name for path in folder.iterdir()] == ["whole"]
    assert not list(folder.parent.glob(".building-*"))


def test_two_builders_build_once(tmp_path: Path) -> None:
    folder = tmp_path / "key"
    builds: list[str] = []

    def make(staging: Path) -> None:
        builds.append(staging.name)
        time.sleep(0.2)

    threads = [threading.Thread(target=made, args=(folder, make)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(builds) == 1
    assert folder.is_dir()


def test_failed_step_keeps_its_log(tmp_path: Path) -> None:
    folder = tmp_path / "key"

    def make(staging: Path) -> None:
        BuildSteps(staging, {}).run(["sh", "-c", "echo why >&2; exit 3"], staging, {})

    with pytest.raises(BuildFailed, match="status 3"):
        made(folder, make)
    assert failed_log(folder).read_text().endswith("why\n")
    assert not folder.exists()


def test_empty_value_takes_a_variable_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INHERITED", "1")
    monkeypatch.setenv("EMPTY_ALREADY", "")
    outcome = changed_environment({"INHERITED": "", "NEW": "2"})
    assert "INHERITED" not in outcome
    assert outcome["NEW"] == "2"
    assert outcome["EMPTY_ALREADY"] == ""


def test_a_glob_takes_inherited_variables_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARGO_PROFILE_RELEASE_LTO", "fat")
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")
    outcome = changed_environment({"CARGO_PROFILE_OWN": "1", "CARGO_PROFILE_*": ""})
    kept = {name: value for name, value in outcome.items() if name.startswith("CARGO_")}
    assert kept == {"CARGO_PROFILE_OWN": "1", "CARGO_NET_OFFLINE": "true"}


@pytest.mark.parametrize(
    ("family", "variable"),
    [
        ("gcc", "CPATH"),
        ("gcc", "LIBRARY_PATH"),
        ("clang", "CPLUS_INCLUDE_PATH"),
        ("go", "GOAMD64"),
        ("go", "GOEXPERIMENT"),
        ("go", "CGO_ENABLED"),
        ("gccgo", "GOARM64"),
        ("rust", "CARGO_ENCODED_RUSTFLAGS"),
        ("rust", "CARGO_PROFILE_RELEASE_LTO"),
        ("rust", "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS"),
        ("rust", "RUSTC_WORKSPACE_WRAPPER"),
        ("openjdk", "JDK_JAVAC_OPTIONS"),
        ("temurin", "JAVA_TOOL_OPTIONS"),
        ("kotlin-jvm", "_JAVA_OPTIONS"),
        ("cpython", "PYTHONOPTIMIZE"),
        ("pypy", "PYTHONOPTIMIZE"),
    ],
)
def test_a_user_s_compiler_settings_do_not_reach_a_build(
    family: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    environment = load_families([BUILT_IN]).families[family].environment
    assert variable not in changed_environment(environment)


def test_tools_speak_english_and_read_every_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE")
    monkeypatch.setenv("LANGUAGE", "de:en")
    outcome = changed_environment({})
    assert outcome["LC_ALL"] == "C.UTF-8"
    assert "LANGUAGE" not in outcome
