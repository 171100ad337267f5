"""The probe's samples in every CPython of this machine: lines, bytecodes and call paths."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, cpythons, line_of, on_x86_64, probed, version_of
from runfair.formats.probe import TRUNCATED, TRUNCATED_CALLERS, Mode, SampledPlace, Sampling
from runfair.probing import probed_command
from runfair.probing.cost_table import CPU_TIMER, cost_tables

pytestmark = on_x86_64

MOST_CALLERS = 64


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


@pytest.mark.parametrize("python", cpythons()[:1])
def test_a_version_whose_frames_are_not_known_has_no_lines(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preload = tmp_path / "preload"
    shutil.copytree(probed_command.PYTHON, preload)
    layouts = preload / "runfair_probe" / "layouts.py"
    text = layouts.read_text()
    layouts.write_text(text.replace("_LAYOUTS.get(sys.version_info[:2])", "None"))
    assert layouts.read_text() != text
    monkeypatch.setattr(probed_command, "PYTHON", preload)
    done, (process,) = probed([python, PROGRAMS / "hot.py"], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    (table,) = cost_tables([process])
    assert table.samples and not table.lines
    version = version_of(process)
    assert table.no_lines == (
        f"the probe does not know where CPython {version} keeps its frames; it knows CPython 3.10 "
        "to 3.14"
    )


SAMPLING: tuple[Mode, ...] = ("mark", "profile")
FIVE_PATHS = {
    "<module> main recursive recursive recursive recursive work": 1 / 6,
    "<module> main consumer generated work": 2 / 6,
    "<module> main handling work": 1 / 6,
    "<module> main sorting key work": 1 / 6,
    # Below it are functions of the module `threading`.
    "threaded work": 1 / 6,
}


SHORT = """
import threading
def short():
    total = 0
    for number in range(3_000):
        total += number * number
def long():
    short()
# In turn, so that a machine whose speed changes slows both alike.
for _ in range(1_000):
    thread = threading.Thread(target=short)
    thread.start()
    thread.join()
    long()
"""


@pytest.mark.parametrize("python", cpythons())
def test_threads_that_are_shorter_than_the_period_are_sampled(python: str, tmp_path: Path) -> None:
    """A thread for each request is as short. Without threads, the same work is sampled as often."""
    program = tmp_path / "program.py"
    program.write_text(SHORT)
    done, (process,) = probed([python, program], tmp_path / "processes", "profile")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None
    if process.sampling.source == CPU_TIMER:
        pytest.skip("this machine does not allow perf_event_open")
    in_threads = in_main = 0
    for place in process.sampling.places:
        if place.function == "short":
            path = call_path(process.sampling, place)
            in_threads += place.samples * any("run" in each for each in path)
            in_main += place.samples * ("long" in path)
    assert in_main > 50
    assert 0.5 < in_threads / in_main < 2, (in_threads, in_main)


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
