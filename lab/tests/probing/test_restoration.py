"""After the probe, dispatch tables and page protections are as before, seen from outside."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, cpythons, on_x86_64
from probing.jvms import first_quickly, hotspots
from probing.nodes import every_node
from probing.process_memory import ProcessMemory, assert_restored, replaced_pointers
from runfair.formats.probe import Mode
from runfair.machine.native import PROBE, build_native
from runfair.probing.probed_command import probing_variables, read_side_files
from runfair.probing.running_process import RunningProcess

pytestmark = on_x86_64

MODE: Mode = "profile"
PAUSING = "print({name!r}, flush=True); input()"
# CPython's module `site` executes this code before the probe's sitecustomize. This code registers
# its exit handler first, so its exit handler runs last.
AROUND = (
    f"import atexit; {PAUSING.format(name='before')}; "
    f"atexit.register(lambda: exec({PAUSING.format(name='after')!r}))\n"
)


class Paused:
    """A process that prints a line at each of its pauses, which a line of input ends."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid

    def memory_at(self, name: str) -> ProcessMemory:
        assert self._process.stdout is not None
        assert self._process.stdout.readline().strip() == name
        return ProcessMemory(self.pid)

    def resume(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()


@contextmanager
def paused(*command: str | Path, **variables: str) -> Iterator[Paused]:
    with subprocess.Popen(
        list(map(str, command)),
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables,
    ) as process:
        try:
            yield Paused(process)
        finally:
            process.kill()


def assert_three_pauses_restore(process: Paused, most_entries: int) -> None:
    before = process.memory_at("before")
    process.resume()
    during = process.memory_at("during")
    process.resume()
    after = process.memory_at("after")
    table = replaced_pointers(before, during)
    assert most_entries // 2 < len(table) <= most_entries
    assert_restored(before, after, table)
    process.resume()


@pytest.mark.parametrize("python", cpythons())
def test_cpython_is_as_before(python: str, tmp_path: Path) -> None:
    user = tmp_path / "user"
    asked = [python, "-m", "site", "--user-site"]
    site = subprocess.run(
        asked, env={"PYTHONUSERBASE": str(user)}, capture_output=True, text=True, check=False
    )
    packages = Path(site.stdout.strip())
    packages.mkdir(parents=True)
    (packages / "around.pth").write_text(AROUND)
    variables = probing_variables(build_native(PROBE), tmp_path, MODE, (), {})
    command = (python, "-c", PAUSING.format(name="during"))
    with paused(*command, **variables, PYTHONUSERBASE=str(user)) as process:
        assert_three_pauses_restore(process, 256)
    (left,) = read_side_files(tmp_path)
    assert left.refused == ""


@every_node
def test_v8_is_as_before(node: str, tmp_path: Path) -> None:
    variables = probing_variables(build_native(PROBE), tmp_path, MODE, (), {})
    module = variables.pop("RUNFAIR_PROBE_NODE_MODULE")  # the program loads it itself
    with paused(node, PROGRAMS / "paused.js", module, **variables) as process:
        assert_three_pauses_restore(process, 3 * 256)
    (left,) = read_side_files(tmp_path)
    assert left.refused == ""


@pytest.mark.parametrize("java", first_quickly(hotspots()))
def test_hotspot_is_as_before(java: str, classes: Path, tmp_path: Path) -> None:
    with paused(java, "-Xint", "-Xmx32m", "-cp", classes, "Entered") as process:
        before = process.memory_at("ready")
        entered = RunningProcess(process.pid)
        entered.begin(tmp_path, MODE, ())
        during = ProcessMemory(process.pid)
        entered.end()
        after = ProcessMemory(process.pid)
        table = replaced_pointers(before, during)
        assert 2 * 10 * 256 // 2 < len(table) <= 2 * 10 * 256
        assert_restored(before, after, table)
    (left,) = read_side_files(tmp_path)
    assert left.refused == ""
