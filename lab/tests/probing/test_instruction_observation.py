"""The executions of native programs under valgrind in a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiment.plans import cell, variant
from runfair.formats.callgrind import Place
from runfair.formats.place import LOCAL
from runfair.formats.probe import read_probed
from runfair.probing.instruction_counts import by_place, can_be_counted
from runfair.probing.observation import ProbeObservation, begin_observation

COUNTED = (
    "positions: line\nevents: Ir\nob=(1) /program\nfl=(1) a.cpp\nfn=(1) main\n3 7\ntotals: 7\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder for callgrind's files."""
    return tmp_path / "probe"


@pytest.fixture
def observation(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ProbeObservation:
    """An observation with a program in place of valgrind that only prints its version."""
    program = folder.parent / "valgrind"
    program.write_text("#!/bin/sh\necho valgrind-3.19.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder.parent}:/usr/bin:/bin")
    return begin_observation(cell(language="c++"), 0, folder)


def test_only_native_programs_of_this_machine_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    rust, go = variant(language="rust"), variant(language="go")
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/valgrind")
    assert can_be_counted(LOCAL, rust)
    assert not can_be_counted(LOCAL, go)
    assert not can_be_counted("container", rust)
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert not can_be_counted(LOCAL, rust)


def test_the_command_runs_under_callgrind(observation: ProbeObservation, folder: Path) -> None:
    command = observation.command(["/program", "size=tiny"])
    assert command[:3] == [f"{folder.parent}/valgrind", "--quiet", "--tool=callgrind"]
    assert command[-3:] == [f"--callgrind-out-file={folder}/callgrind.%p", "/program", "size=tiny"]


def test_the_counts_are_stored_and_callgrinds_files_are_removed(
    observation: ProbeObservation, folder: Path, tmp_path: Path
) -> None:
    (folder / "callgrind.17").write_text(COUNTED)
    assert observation.keep(cell(), tmp_path / "probes" / "1.json") == ""
    probed = read_probed(tmp_path / "probes" / "1.json")
    assert probed is not None and probed.instructions is not None
    assert probed.instructions.valgrind == "3.19.0"
    assert by_place(probed.instructions) == {Place("/program", "main", "a.cpp", 3): 7}
    assert not folder.exists()


def test_counts_that_callgrind_did_not_finish_are_a_failure(
    observation: ProbeObservation, folder: Path, tmp_path: Path
) -> None:
    (folder / "callgrind.17").write_text(COUNTED.removesuffix("totals: 7\n"))
    assert "callgrind did not finish it" in observation.keep(cell(), tmp_path / "1.json")
    assert not (tmp_path / "1.json").exists()
