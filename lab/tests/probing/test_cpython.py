"""The probe in every CPython of this machine."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, cpythons, executions, on_x86_64, probed
from runfair.formats.probe import (
    TRUNCATED,
    TRUNCATED_CALLERS,
    Mode,
    ProbedProcess,
    SampledPlace,
    Sampling,
)
from runfair.probing.cost_table import cost_tables
from runfair.probing.probed_command import unfinished

pytestmark = on_x86_64

MIXED = PROGRAMS / "mixed.py"
WARM = 8
MOST_CALLERS = 64
MODES: tuple[Mode, ...] = ("count", "mark", "pairs", "latency")

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


def version_of(process: ProbedProcess) -> str:
    return ".".join(process.version.split(".")[:2])


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


KNOWN = """
import {modules}
def loop(times):
    total = 0
    for number in range(times):
        total += number
    return total
for _ in range(50):
    loop(100)
{work}
"""


def for_iter(process: ProbedProcess) -> int:
    return sum(
        each.executions for each in process.bytecodes if each.family in ("FOR_ITER", "ADAPTIVE")
    )


def loops(
    python: str, folder: Path, modules: str, work: str, mode: Mode = "mark"
) -> list[ProbedProcess]:
    program = folder / "program.py"
    program.write_text(KNOWN.format(modules=modules, work=work))
    done, processes = probed([python, program], folder / "processes", mode)
    assert (done.returncode, done.stderr) == (0, "")
    assert not any(process.refused for process in processes)
    return processes


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
def test_a_forked_worker_leaves_its_own_file(python: str, tmp_path: Path) -> None:
    work = (
        "loop(100_000)\n"
        "child = os.fork()\n"
        "if child == 0:\n    loop(30_000)\n    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0"
    )
    parent, child = sorted(
        loops(python, tmp_path, "os", work), key=lambda each: -executions(each)[_loop_name(each)]
    )
    assert 100_000 < executions(parent)[_loop_name(parent)] < 110_000
    assert 30_000 < executions(child)[_loop_name(child)] < 31_000


def _loop_name(process: ProbedProcess) -> str:
    return "FOR_ITER_RANGE" if "FOR_ITER_RANGE" in executions(process) else "FOR_ITER"


@pytest.mark.parametrize("python", cpythons())
def test_a_pool_of_processes_is_followed(python: str, tmp_path: Path) -> None:
    work = (
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        pool.map(loop, [50_000] * 4, 1)\n"
        "        pool.close()\n        pool.join()"
    )
    processes = loops(python, tmp_path, "multiprocessing", work)
    assert len(processes) >= 3
    assert sum(executions(each).get(_loop_name(each), 0) for each in processes) > 4 * 50_000


@pytest.mark.parametrize("python", cpythons())
def test_workers_that_a_pool_terminates_leave_their_results(python: str, tmp_path: Path) -> None:
    """The signal may come while the worker, having ended by itself, writes its file."""
    work = (
        "with multiprocessing.get_context('fork').Pool(3) as pool:\n"
        "    pool.map(loop, [50_000] * 6, 1)"
    )
    processes = loops(python, tmp_path, "multiprocessing", work, "count")
    assert len(processes) == 4
    assert unfinished(tmp_path / "processes") == 0
    assert sum(executions(each).get(_loop_name(each), 0) for each in processes) > 6 * 50_000


PREFORKED = """
children = []
for _ in range(3):
    began, begin = os.pipe()
    child = os.fork()
    if child == 0:
        loop(40_000)
        os.write(begin, b'.')
        while True:
            signal.pause()
    os.read(began, 1)
    children.append(child)
for child, number in zip(children, (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)):
    os.kill(child, number)
    assert os.waitpid(child, 0)[1] == number
"""


@pytest.mark.parametrize("python", cpythons())
def test_forked_workers_are_followed_and_a_killed_one_is_missed(
    python: str, tmp_path: Path
) -> None:
    processes = loops(python, tmp_path, "os, signal", PREFORKED, "count")
    assert len(processes) == 3
    assert unfinished(tmp_path / "processes") == 1
    assert sum(executions(each)[_loop_name(each)] > 40_000 for each in processes) == 2


DEADLOCKED = """
lock = ctypes.create_string_buffer(64)
if os.fork() == 0:
    for _ in range(2):
        ctypes.PyDLL(None).pthread_mutex_lock(lock)
time.sleep(0.3)
os.kill(0, signal.SIGTERM)
"""


@pytest.mark.parametrize("python", cpythons()[:1])
def test_a_signal_ends_a_process_that_does_not_listen(python: str, tmp_path: Path) -> None:
    """As it does without the probe, though its interpreter never runs again."""
    program = tmp_path / "program.py"
    program.write_text(f"import ctypes, os, signal, time\nos.setsid()\n{DEADLOCKED}")
    folder = tmp_path / "processes"
    done, processes = probed([python, program], folder, "count")
    assert (done.returncode, len(processes)) == (-signal.SIGTERM, 1), done.stderr
    # The output is at its end: the other process has ended too.
    assert unfinished(folder) == 1


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
    assert executions(process)[_loop_name(process)] > 50_000


@pytest.mark.parametrize("python", cpythons())
@pytest.mark.parametrize("mode", MODES)
def test_signals_exceptions_and_recursion(python: str, mode: Mode, tmp_path: Path) -> None:
    done, (process,) = probed([python, PROGRAMS / "stress.py"], tmp_path / "processes", mode)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"
    assert process.refused == ""


@pytest.mark.parametrize("python", cpythons())
def test_a_sample_ends_no_child_on_its_way_to_exec(python: str, tmp_path: Path) -> None:
    done, _ = probed([python, PROGRAMS / "spawned.py"], tmp_path / "processes")
    assert (done.returncode, done.stdout) == (0, "0\n0\n0\n"), done.stderr


@pytest.mark.parametrize("python", cpythons())
def test_the_hot_line_and_its_bytecode_are_found(python: str, tmp_path: Path) -> None:
    done, (process,) = probed([python, PROGRAMS / "hot.py"], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    sampling = process.sampling
    assert sampling is not None
    assert process.cpu_ns > 50_000_000
    samples: Counter[int | None] = Counter()
    for place in sampling.places:
        if place.path.endswith("hot.py"):
            samples[place.line] += place.samples
    hot = line_of("hot.py", "# hot")
    everything = sum(place.samples for place in sampling.places)
    assert samples[hot] > 0.6 * everything
    bytecodes: Counter[str | None] = Counter()
    for place in sampling.places:
        if place.line == hot:
            bytecodes[place.bytecode] += place.samples
    ((first, count),) = bytecodes.most_common(1)
    assert first is not None and re.match("BINARY_MULTIPLY|BINARY_OP", first)
    assert count > 0.8 * samples[hot]


@pytest.mark.parametrize("python", cpythons())
def test_time_after_a_call_back_belongs_to_the_call(python: str, tmp_path: Path) -> None:
    """The C function `callback` calls Python first, and then works for long without it."""
    done, (process,) = probed([python, PROGRAMS / "call_back.py"], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None
    samples: Counter[str] = Counter()
    for place in process.sampling.places:
        samples[place.bytecode or "outside"] += place.samples
    of_calls = sum(count for name, count in samples.items() if "CALL" in name)
    assert of_calls > 0.8 * sum(samples.values()), samples
    calling = line_of("call_back.py", "# calls")
    at_line = sum(place.samples for place in process.sampling.places if place.line == calling)
    assert at_line > 0.8 * sum(samples.values())


SAMPLING: tuple[Mode, ...] = ("mark", "profile")
FIVE_PATHS = {
    "<module> main recursive recursive recursive recursive work": 1 / 6,
    "<module> main consumer generated work": 2 / 6,
    "<module> main handling work": 1 / 6,
    "<module> main sorting key work": 1 / 6,
    # Below it are functions of the module `threading`.
    "threaded work": 1 / 6,
}


def call_path(sampling: Sampling, place: SampledPlace) -> list[str]:
    """The functions from the outermost to the innermost one, by their last names."""
    assert sampling.calls is not None and place.caller is not None
    names = [place.function]
    at = place.caller
    while at > TRUNCATED_CALLERS:
        names.append(sampling.calls[at].function)
        at = sampling.calls[at].caller
    if at == TRUNCATED_CALLERS:
        names.append(TRUNCATED)
    return [name.rsplit(".", 1)[-1] for name in reversed(names)]


@pytest.mark.parametrize("python", cpythons())
@pytest.mark.parametrize("mode", SAMPLING)
def test_the_call_tree_has_its_shares(python: str, mode: Mode, tmp_path: Path) -> None:
    command = (python, PROGRAMS / "call_tree.py")
    done, (process,) = probed(command, tmp_path / "processes", mode)
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None
    found: Counter[str] = Counter()
    for place in process.sampling.places:
        if place.function == "work":
            path = " ".join(call_path(process.sampling, place))
            found[re.sub("^.* threaded", "threaded", path)] += place.samples
    assert set(found) == set(FIVE_PATHS)
    samples = sum(found.values())
    assert samples > 0.8 * sum(place.samples for place in process.sampling.places)
    for path, share in FIVE_PATHS.items():
        assert found[path] / samples == pytest.approx(share, abs=0.08), path
    (table,) = cost_tables([process])
    of_folded: Counter[str] = Counter()
    for stack in table.folded:
        names, count = stack.rsplit(" ", 1)
        of_folded[names.split(";")[-1]] += int(count)
    # The innermost place of the paths is the place of the exclusive times.
    for cost in table.bytecodes:
        if cost.share is not None:
            assert of_folded[cost.name] == round(cost.share.value * table.samples), cost.name


GENERATORS = {"count_up", "delegating"}
CALLERS = {
    "deep": {"deep", "work"},
    "nested": {"back", "work"},
    "back": {"nested"},
    # When a generator is closed, C closes the generator that it delegates to.
    "count_up": {"delegating", "half_way"},
    "delegating": {"half_way"},
    "half_way": {"__init__"},
    "__init__": {"work"},
    "work": {"<module>", "measured_ns"},
    "measured_ns": {"<module>"},
    "make_timer": {"<module>"},
    "start_timer": {"<module>"},
}


@pytest.mark.parametrize("python", cpythons())
def test_no_frame_is_followed_before_it_is_made(python: str, tmp_path: Path) -> None:
    """Thousands of samples hit frames in each state of their lives. Each path consists of calls
    that the program makes."""
    done, processes = probed([python, PROGRAMS / "frames.py"], tmp_path / "processes")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    (process,) = processes
    assert process.sampling is not None
    calls = Counter[tuple[str, str]]()
    depths = Counter[int]()
    switching = 0
    for place in process.sampling.places:
        if not place.path.endswith("frames.py"):
            continue
        path = call_path(process.sampling, place)
        if path[0] == TRUNCATED:
            path = path[1:]
            if len(path) <= MOST_CALLERS and path[0] in GENERATORS:
                switching += place.samples
            else:
                depths[len(path) - 1] += place.samples  # without the function itself
        else:
            assert path[0] == "<module>"
        for caller, function in pairwise(path):
            calls[(caller, function)] += place.samples
    assert depths.total() > 200
    assert set(depths) == {MOST_CALLERS}
    # A generator that begins or ends has no caller for some instructions.
    assert switching < 0.02 * sum(place.samples for place in process.sampling.places)
    strange = {
        (caller, function): count
        for (caller, function), count in calls.items()
        if caller not in CALLERS.get(function, ())
    }
    assert strange == {}


@pytest.mark.parametrize("python", cpythons())
def test_a_multiplication_of_large_numbers_takes_longest(python: str, tmp_path: Path) -> None:
    _, (process,) = probed([python, PROGRAMS / "hot.py"], tmp_path / "processes", "latency")
    means = {each.bytecode: each.sum / each.count for each in process.measured if each.count > 10}
    slowest = max(means, key=lambda name: means[name])
    assert re.match("BINARY_MULTIPLY|BINARY_OP", slowest)
    assert process.calibration is not None
    assert 0 < process.calibration.mean_ns < 0.1 * means[slowest]


@pytest.mark.parametrize("python", cpythons())
def test_instructions_of_a_simple_bytecode_hardly_vary(python: str, tmp_path: Path) -> None:
    """LOAD_CONST has a single path up to CPython 3.11. Since 3.12 an immortal constant (PEP 683)
    takes another path, which differs by an instruction or two. 3.14 has LOAD_SMALL_INT."""
    done, (process,) = probed([python, MIXED, "30"], tmp_path / "processes", "instructions")
    assert done.returncode == 0, done.stderr
    measured = {each.bytecode: each for each in process.measured}
    loads = measured.get("LOAD_SMALL_INT") or measured["LOAD_CONST"]
    assert loads.count > 10
    assert 3 < loads.sum / loads.count < 40
    variance = loads.sum_of_squares / loads.count - (loads.sum / loads.count) ** 2
    if version_of(process) in ("3.12", "3.13"):
        assert variance < 1
    else:
        assert variance == pytest.approx(0, abs=1e-6)


def line_of(program: str, mark: str) -> int:
    lines = (PROGRAMS / program).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(mark))


BLOCKING = """
import signal, time
everything = range(1, signal.NSIG)
end = time.monotonic() + 2
while time.monotonic() < end:
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
def test_pairs_add_up_to_executions(python: str, tmp_path: Path) -> None:
    _, (process,) = probed([python, MIXED, "2"], tmp_path / "processes", "pairs")
    followed: Counter[str] = Counter()
    for pair in process.pairs:
        followed[pair.second] += pair.executions
    # The first bytecode of a thread follows none.
    missing = Counter(executions(process)) - followed
    assert sum(missing.values()) == 1


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
