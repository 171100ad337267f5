"""What is kept of a probed command that the user interrupts."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from runfair.formats.probe import Mode, ProbedProcess
from runfair.probing import probed_command
from runfair.probing.probed_command import CommandInterrupted, Rounds


def rounds(folder: Path) -> Rounds:
    return Rounds(folder / "library.so", folder / "processes", "all", [])


def leave_results(variables: dict[str, str]) -> Mode:
    """Writes the side file of a process, and returns its mode."""
    process = ProbedProcess.model_validate(
        {
            "runtime": "cpython",
            "version": "3.13.0",
            "executable": "python3",
            "pid": 1,
            "mode": variables["RUNFAIR_PROBE_MODE"],
        }
    )
    folder = Path(variables["RUNFAIR_PROBE_FOLDER"])
    (folder / f"{process.mode}.json").write_text(process.model_dump_json())
    return process.mode


def test_an_interrupted_command_has_the_modes_until_then(tmp_path: Path) -> None:
    def run(variables: dict[str, str]) -> int:
        if leave_results(variables) == "latency":
            raise CommandInterrupted
        return 0

    result = rounds(tmp_path).result(["a"], {}, run)
    assert (result.modes, result.interrupted) == (["profile", "latency"], True)


def test_a_command_that_was_not_interrupted_has_all_modes(tmp_path: Path) -> None:
    def run(variables: dict[str, str]) -> int:
        leave_results(variables)
        return 0

    result = rounds(tmp_path).result(["a"], {}, run)
    assert (result.modes, result.interrupted) == (["profile", "latency", "instructions"], False)


def test_a_benchmark_that_was_interrupted_has_no_result(tmp_path: Path) -> None:
    """Its answer was not checked."""

    def run(variables: dict[str, str]) -> int:
        leave_results(variables)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rounds(tmp_path).result(["a"], {}, run)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_after_the_command_loses_nothing(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While runfair waits for processes that outlive the command."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the tests run with this signal ignored")

    def run(variables: dict[str, str]) -> int:
        leave_results(variables)
        return 0

    monkeypatch.setattr(
        probed_command, "await_stragglers", lambda _folder: os.kill(os.getpid(), number)
    )
    result = rounds(tmp_path).result(["a"], {}, run)
    assert (result.modes, result.interrupted) == (["profile"], True)
