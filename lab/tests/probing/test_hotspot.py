"""The probe in every HotSpot of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from probing.cpythons import executions, line_of, on_x86_64, probed
from probing.jvms import INTERPRETED, first_quickly, hotspots
from runfair.formats.probe import Mode, ProbedProcess
from runfair.probing.adapter import EVERY_MODE
from runfair.probing.cost_table import cost_tables

pytestmark = on_x86_64
every_java = pytest.mark.parametrize("java", first_quickly(hotspots()))

FEW, MANY = 100, 300
OPERATIONS = 1_000  # of each kind, for one of `times`, in each of two threads
COLLECTORS = ("Serial", "Parallel", "G1", "Z", "Shenandoah", "Epsilon")


def collecting(collector: str) -> list[str]:
    # Epsilon, which never collects, is experimental and prints a warning.
    return ["-XX:+UnlockExperimentalVMOptions", "-Xlog:disable", f"-XX:+Use{collector}GC"]


def known(
    java: str, classes: Path, folder: Path, mode: Mode, *options: str
) -> tuple[Counter[str], ProbedProcess]:
    """What MANY - FEW more rounds of Known add."""
    counts = []
    for times in (FEW, MANY):
        command = [java, *options, "-cp", str(classes), "Known", str(times)]
        done, (process,) = probed(command, folder / str(times), mode)
        assert (done.returncode, process.refused) == (0, ""), done.stderr
        counts.append(Counter(executions(process)))
    few, many = counts
    many.subtract(few)
    return many, process


@every_java
@pytest.mark.parametrize("mode", EVERY_MODE)
def test_counts_are_those_of_known_loops(
    java: str, mode: Mode, classes: Path, tmp_path: Path
) -> None:
    added, process = known(java, classes, tmp_path, mode, INTERPRETED)
    expected = 2 * (MANY - FEW) * OPERATIONS
    assert {name: added[name] for name in ("daload", "dmul", "iaload")} == {
        "daload": expected,
        "dmul": expected,
        "iaload": expected,
    }
    assert not process.compiles
    families = {each.name: each.family for each in process.bytecodes}
    assert families["fast_iload"] == "iload"
    assert families["daload"] == "daload"


@pytest.mark.long
@pytest.mark.parametrize("java", hotspots())
@pytest.mark.parametrize("collector", COLLECTORS)
def test_counts_are_exact_with_every_collector(
    java: str, collector: str, classes: Path, tmp_path: Path
) -> None:
    added, _ = known(java, classes, tmp_path, "mark", INTERPRETED, *collecting(collector))
    assert added["iaload"] == 2 * (MANY - FEW) * OPERATIONS


@every_java
def test_a_compiled_loop_is_not_counted_and_the_result_says_so(
    java: str, classes: Path, tmp_path: Path
) -> None:
    done, (process,) = probed([java, "-cp", str(classes), "Hot"], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.compiles
    assert executions(process)["lrem"] < 2_000_000  # of 20 million
    assert process.sampling is not None
    parts = Counter[str]()
    for place in process.sampling.places:
        parts[place.part] += place.samples
    assert parts["compiled code"] > 0.4 * sum(parts.values())
    assert parts["JIT compiler"] > 0
    (table,) = cost_tables([process])
    hottest = table.functions[0]
    assert (hottest.path, hottest.function) == ("Hot.java", "Hot.loop")
    assert hottest.share > 0.4


@every_java
def test_the_threads_of_the_z_collector_are_known(java: str, classes: Path, tmp_path: Path) -> None:
    """Their names begin with X in HotSpot 21, unless the collector is generational."""
    command = [java, INTERPRETED, "-Xmx96m", *collecting("Z"), "-cp", str(classes), "Stress"]
    done, (process,) = probed(command, tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None
    assert "garbage collector" in {place.part for place in process.sampling.places}


@pytest.fixture
def decimal_comma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A locale whose numbers have a decimal comma, if this machine can make one."""
    made = tmp_path / "locales" / "de_DE.UTF-8"
    made.parent.mkdir()
    command = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(made)]
    if shutil.which("localedef") and subprocess.run(command, check=False).returncode == 0:
        monkeypatch.setenv("LOCPATH", str(made.parent))
        monkeypatch.setenv("LC_ALL", made.name)


@every_java
@pytest.mark.usefixtures("decimal_comma")
def test_the_hot_line_is_found(java: str, classes: Path, tmp_path: Path) -> None:
    done, (process,) = probed(
        [java, INTERPRETED, "-cp", str(classes), "Hot"], tmp_path / "processes"
    )
    assert done.returncode == 0, done.stderr
    assert share(process, line_of("Hot.java", "// hot")) > 0.6


@every_java
def test_native_code_belongs_to_the_call(java: str, classes: Path, tmp_path: Path) -> None:
    command = [java, INTERPRETED, "-cp", str(classes), "Hot", "native"]
    done, (process,) = probed(command, tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert share(process, line_of("Hot.java", "// native"), "invokestatic") > 0.4


@every_java
def test_wide_bytecodes_have_their_time(java: str, classes: Path, tmp_path: Path) -> None:
    """Their code is reached by a table of its own, from a copy."""
    command = [java, INTERPRETED, "-cp", str(classes), "Wide"]
    done, (process,) = probed(command, tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert {each.name for each in process.bytecodes if each.copied} > {"wide"}
    assert process.sampling is not None
    samples = Counter[str]()
    for place in process.sampling.places:
        samples[place.bytecode or ""] += place.samples
    # The call of the loop is the last bytecode before it that is not a copy.
    assert samples["invokestatic"] < 0.2 * samples["wide"], samples


# The innermost callers of the work, which is the same in each.
PATHS = {
    "main;recursive;recursive;recursive;recursive": 1 / 5,
    "main;handling": 1 / 5,
    "main;reflected;…;called": 1 / 5,
    "run;…;threaded": 1 / 5,
    "[truncated];" + ";".join(["deep"] * 64): 1 / 5,
}


@every_java
def test_the_call_tree_has_its_shares(java: str, classes: Path, tmp_path: Path) -> None:
    # Both threads run on one processor, since two may differ in speed.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    command = [java, INTERPRETED, "-cp", str(classes), "CallTree"]
    done, (process,) = probed(command, tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    (table,) = cost_tables([process])
    assert table.no_call_paths == ""
    found = Counter[str]()
    for stack in table.folded:
        names, count = stack.rsplit(" ", 1)
        steps = [step.split(" ")[0].rsplit(".", 1)[-1] for step in names.split(";")]
        functions = steps[1:-2]  # between the part of the runtime and the line
        if functions and functions[-1] == "work":
            path = ";".join(functions[:-1])
            # Java's own methods differ between versions. In reflection, native code is among them.
            found[re.sub("(reflected|^run);.*;(called|threaded)", r"\1;…;\2", path)] += int(count)
    samples = found.total()
    assert samples > 0.6 * table.samples
    for path, share in PATHS.items():
        assert found[path] / samples == pytest.approx(share, abs=0.1), found


def share(process: ProbedProcess, line: int, bytecode: str = "") -> float:
    """Of the samples in a line of Hot.java."""
    assert process.sampling is not None
    samples = sum(
        place.samples
        for place in process.sampling.places
        if (place.path, place.line) == ("Hot.java", line)
        and place.function.startswith("Hot.")
        and (not bytecode or place.bytecode == bytecode)
    )
    return samples / sum(place.samples for place in process.sampling.places)


@every_java
def test_pairs_add_up_to_executions(java: str, classes: Path, tmp_path: Path) -> None:
    command = [java, INTERPRETED, "-cp", str(classes), "Known", "20"]
    _, (process,) = probed(command, tmp_path / "processes", "pairs")
    followed = sum(pair.executions for pair in process.pairs)
    # The first bytecode of a thread follows none; few threads execute any.
    assert 0 < sum(executions(process).values()) - followed < 30


@every_java
def test_instructions_of_a_bytecode_do_not_vary(java: str, classes: Path, tmp_path: Path) -> None:
    """An array access with its checks: the study of 2022 counted 11."""
    command = [java, INTERPRETED, "-cp", str(classes), "Known", "500"]
    _, (process,) = probed(command, tmp_path / "processes", "instructions")
    loads = next(each for each in process.measured if each.bytecode == "iaload")
    assert loads.count > 10
    assert 7 < loads.sum / loads.count < 16
    assert loads.sum**2 == pytest.approx(loads.count * loads.sum_of_squares)


@pytest.mark.long
@pytest.mark.parametrize("java", hotspots())
@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.parametrize("mode", EVERY_MODE)
@pytest.mark.parametrize("options", [(INTERPRETED,), ()])
def test_a_program_under_stress_does_what_it_does_without(
    java: str, collector: str, mode: Mode, options: tuple[str, ...], classes: Path, tmp_path: Path
) -> None:
    command = [java, *options, *collecting(collector), "-cp", str(classes), "Stress"]
    alone = subprocess.run(command, capture_output=True, text=True, check=True)
    done, (process,) = probed(command, tmp_path / "processes", mode)
    assert (done.returncode, process.refused) == (0, ""), done.stderr
    assert done.stdout == alone.stdout


@every_java
def test_a_child_is_probed_and_sees_its_own_environment(
    java: str, classes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dgiven=yes")
    child = [java, "-cp", str(classes), "Known", "1"]
    done, processes = probed([java, "-cp", str(classes), "Parent", *child], tmp_path / "processes")
    assert (done.returncode, len(processes)) == (0, 2), done.stderr
    assert done.stdout.splitlines()[-1] == "-Dgiven=yes yes"


@every_java
def test_an_unknown_bytecode_leaves_the_program_alone(
    java: str, classes: Path, tmp_path: Path
) -> None:
    command = [java, "-cp", str(classes), "Known", "1"]
    done, (process,) = probed(command, tmp_path / "processes", bytecodes=["iaload", "ialoud"])
    assert (done.returncode, done.stdout) == (0, "0.0\n0.0\nnull null\n")
    assert re.fullmatch(r"no bytecode ialoud in HotSpot \d+\..*", process.refused)


def test_an_interpreter_without_templates_is_left_alone(classes: Path, tmp_path: Path) -> None:
    zero = [java for java in hotspots() if _has_zero(java)]
    if not zero:
        pytest.skip("apt-get install openjdk-17-jre-zero")
    command = [zero[0], "-zero", "-cp", str(classes), "Known", "1"]
    done, (process,) = probed(command, tmp_path / "processes")
    assert (done.returncode, done.stdout) == (0, "0.0\n0.0\nnull null\n")
    assert process.refused == (
        "not supported: this build of HotSpot has no template interpreter (is it Zero?)"
    )


def _has_zero(java: str) -> bool:
    done = subprocess.run([java, "-zero", "-version"], capture_output=True, check=False)
    return done.returncode == 0
