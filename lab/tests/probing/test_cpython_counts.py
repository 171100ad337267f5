"""The probe's counts in every CPython of this machine."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from probing.cpythons import MIXED, MODES, cpythons, executions, on_x86_64, probed, version_of
from probing.known_loop import loop_name, loops
from runfair.formats.probe import Mode, ProbedProcess

pytestmark = on_x86_64

WARM = 8

# Bytecodes that CPython's own tracing never reports, and those that it leaves out in frames of its
# own: at the start of a generator, and around `__init__`. NOT_TAKEN is the reverse: it is only
# reported. Without tracing, a jump steps over it.
UNREPORTED = {
    "3.10": set[str](),
    "3.11": {"RESUME", "MAKE_CELL", "COPY_FREE_VARS", "RETURN_GENERATOR"},
    "3.12": {"RESUME", "RETURN_GENERATOR", "INTERPRETER_EXIT"},
    "3.13": {"RESUME", "RETURN_GENERATOR", "INTERPRETER_EXIT", "EXIT_INIT_CHECK"},
    "3.14": {"RESUME", "RETURN_GENERATOR", "INTERPRETER_EXIT", "EXIT_INIT_CHECK", "NOT_TAKEN"},
}
PARTLY_REPORTED = {
    "3.10": set[str](),
    "3.11": {"POP_TOP"},
    "3.12": {"POP_TOP"},
    "3.13": {"POP_TOP", "RETURN_VALUE"},
    "3.14": {"POP_TOP", "RETURN_VALUE"},
}
# A bytecode that becomes specialised is dispatched a second time.
MOST_SPECIALISED = 8


def merged(name: str, version: str) -> str:
    """CPython 3.11 has jumps inside comparisons, whose direction is theirs."""
    return "POP_JUMP" if version == "3.11" and name.startswith("POP_JUMP_") else name


def general(process: ProbedProcess) -> Counter[str]:
    """Executions by general name; a bytecode that does the work of two counts for both."""
    found: Counter[str] = Counter()
    version = version_of(process)
    for each in process.bytecodes:
        parts = each.name.split("__") if "__" in each.name else [each.family]
        if version == "3.11" and re.fullmatch("COMPARE_OP_.*_JUMP", each.name):
            parts.append("POP_JUMP")
        if version == "3.11" and re.fullmatch(
            "PRECALL_(?!ADAPTIVE|PYFUNC|BOUND_METHOD).*", each.name
        ):
            parts.append("CALL")
        for name in parts:
            found[merged(name, version)] += each.executions
    return found


@pytest.mark.parametrize("python", cpythons())
@pytest.mark.parametrize("mode", MODES)
def test_counts_are_those_of_the_interpreters_own_tracing(
    python: str, mode: Mode, tmp_path: Path
) -> None:
    reference = subprocess.run(
        [python, MIXED, str(WARM), "counted"], capture_output=True, text=True, check=True
    )
    counts = []
    for times in (WARM, WARM + 2):
        done, (process,) = probed([python, MIXED, str(times)], tmp_path / str(times), mode)
        assert done.returncode == 0, done.stderr
        assert process.refused == ""
        counts.append(general(process))
    few, many = counts
    version = version_of(process)
    expected: Counter[str] = Counter()
    for name, count in json.loads(reference.stdout).items():
        expected[merged(name, version)] += count
    families = {each.family for each in process.bytecodes if each.family != each.name}
    assert sum(expected.values()) > 200_000
    for name in {*many, *expected} - UNREPORTED[version]:
        more = (many[name] - few[name]) / 2 - expected[name]
        if name in families or name in PARTLY_REPORTED[version]:
            assert (
                0 <= more <= (MOST_SPECIALISED if name in families else 0.01 * expected[name] + 12)
            ), name
        else:
            assert more == 0, name


@pytest.mark.parametrize("python", cpythons())
def test_pairs_add_up_to_executions(python: str, tmp_path: Path) -> None:
    _, (process,) = probed([python, MIXED, "2"], tmp_path / "processes", "pairs")
    followed: Counter[str] = Counter()
    for pair in process.pairs:
        followed[pair.second] += pair.executions
    # The first bytecode of a thread follows none.
    missing = Counter(executions(process)) - followed
    assert sum(missing.values()) == 1


@pytest.mark.parametrize("python", cpythons())
@pytest.mark.parametrize("mode", MODES)
def test_threads_are_counted_together(python: str, mode: Mode, tmp_path: Path) -> None:
    counts = []
    for times in (10_000, 20_000):
        folder = tmp_path / str(times)
        folder.mkdir()
        work = (
            f"threads = [threading.Thread(target=loop, args=({times},)) for _ in range(4)]\n"
            "[thread.start() for thread in threads]\n[thread.join() for thread in threads]"
        )
        (process,) = loops(python, folder, "threading", work, mode)
        counts.append(executions(process).get("FOR_ITER_RANGE", executions(process)["FOR_ITER"]))
    # Waiting threads execute a little more or less, but no thread's loop is missing.
    assert abs(counts[1] - counts[0] - 4 * 10_000) < 100


@pytest.mark.parametrize("python", cpythons())
def test_a_sub_interpreter_is_counted_with_its_process(python: str, tmp_path: Path) -> None:
    work = (
        "try:\n    import _interpreters as interpreters\n"
        "except ImportError:\n    import _xxsubinterpreters as interpreters\n"
        "other = interpreters.create()\n"
        "interpreters.run_string(other, 'for number in range(50_000): pass')\n"
        "interpreters.destroy(other)"
    )
    (process,) = loops(python, tmp_path, "sys", work)
    assert executions(process)[loop_name(process)] > 50_000
