"""Programs in every CPython of this machine do under the probe what they do without it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from probing.cpythons import MODES, PROGRAMS, cpythons, on_x86_64, probed
from runfair.formats.probe import Mode

pytestmark = on_x86_64


@pytest.mark.parametrize("python", cpythons())
@pytest.mark.parametrize("mode", MODES)
def test_signals_exceptions_and_recursion(python: str, mode: Mode, tmp_path: Path) -> None:
    done, (process,) = probed([python, PROGRAMS / "stress.py"], tmp_path / "processes", mode)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"
    assert process.refused == ""


BLOCKING = """
import signal, time
everything = range(1, signal.NSIG)
end = time.process_time() + 2  # a busy machine may leave the program little of a second
while time.process_time() < end:
    signal.pthread_sigmask(signal.SIG_BLOCK, everything)
    for _ in range(50):
        pass
    signal.pthread_sigmask(signal.SIG_UNBLOCK, everything)
print('done')
"""


@pytest.mark.parametrize("python", cpythons())
def test_a_program_that_blocks_all_signals_is_not_ended_by_a_step(
    python: str, tmp_path: Path
) -> None:
    done, (process,) = probed([python, "-c", BLOCKING], tmp_path / "processes", "instructions")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert sum(each.count for each in process.measured) > 10


@pytest.mark.parametrize("python", cpythons())
def test_an_unknown_bytecode_leaves_the_program_alone(python: str, tmp_path: Path) -> None:
    done, (process,) = probed(
        [python, "-c", "print(42)"], tmp_path / "processes", bytecodes=["LOAD_FUST"]
    )
    assert (done.returncode, done.stdout) == (0, "42\n")
    assert re.match(
        r"no bytecode LOAD_FUST in CPython 3\.1\d; near it: .*LOAD_FAST", process.refused
    )


@pytest.mark.parametrize("python", cpythons())
def test_a_library_that_was_not_preloaded_is_told(python: str, tmp_path: Path) -> None:
    done, (process,) = probed(
        ["env", "--unset=LD_PRELOAD", python, "-c", "print(42)"], tmp_path / "processes"
    )
    assert (done.returncode, done.stdout) == (0, "42\n")
    assert process.refused == "the probe's library was not preloaded into this process"


@pytest.mark.parametrize("python", cpythons())
def test_a_python_without_ctypes_is_left_alone(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "user"))
    asked = subprocess.run(
        [python, "-m", "site", "--user-site"], capture_output=True, text=True, check=False
    )
    packages = Path(asked.stdout.strip())
    packages.mkdir(parents=True)
    (packages / "without.pth").write_text("import sys; sys.modules['_ctypes'] = None\n")
    done, (process,) = probed([python, "-c", "print(42)"], tmp_path / "processes")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")
    assert process.refused.startswith("the probe needs Python's module ctypes: ")


@pytest.mark.parametrize("python", cpythons())
def test_what_the_program_sees_is_its_own(python: str, tmp_path: Path) -> None:
    """Its status, its path of modules, its signal handlers."""
    code = (
        "import signal, sys; print(any('probes' in each for each in sys.path),"
        " signal.getsignal(signal.SIGINT) is signal.default_int_handler, __name__); sys.exit(7)"
    )
    done, (process,) = probed([python, "-c", code], tmp_path / "processes")
    assert (done.returncode, done.stdout) == (7, "False True __main__\n")
    assert process.refused == ""
