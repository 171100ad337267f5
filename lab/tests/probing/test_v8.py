"""The probe in every Node of this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, executions, on_x86_64, probed
from probing.nodes import INTERPRETED, OPERATIONS, every_node, known
from runfair.catalogue.runtime import variants
from runfair.formats.probe import Mode, ProbedProcess
from runfair.formats.variant import at_least
from runfair.probing.adapter import EVERY_MODE
from runfair.probing.cost_table import cost_tables
from runfair.probing.probed_command import unfinished

pytestmark = on_x86_64

FEW, MANY = 50, 150


@every_node
@pytest.mark.parametrize("mode", EVERY_MODE)
def test_counts_are_those_of_known_loops(node: str, mode: Mode, tmp_path: Path) -> None:
    process = known(node, INTERPRETED, mode, (FEW, MANY), tmp_path)
    families = {each.name: each.family for each in process.bytecodes}
    assert (families["Star0"], families["JumpLoop"]) == ("Star", "JumpLoop")


@every_node
def test_the_hot_line_is_found(node: str, tmp_path: Path) -> None:
    command = [node, *INTERPRETED, str(PROGRAMS / "hot.js"), "12000000"]
    done, (process,) = probed(command, tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None
    samples = Counter[tuple[str, str, int | None]]()
    for place in process.sampling.places:
        samples[(place.path, place.function, place.line)] += place.samples
    lines = (PROGRAMS / "hot.js").read_text().splitlines()
    hot = next(number for number, line in enumerate(lines, 1) if line.endswith("// hot"))
    assert samples[(str(PROGRAMS / "hot.js"), "loop", hot)] > 0.5 * sum(samples.values()), samples


@every_node
def test_lines_are_counted_in_the_characters_of_javascript(node: str, tmp_path: Path) -> None:
    """V8 counts the positions in a source in UTF-16, and the file is UTF-8. V8 names the source of
    a module by its URL. The name of a function may contain blanks and slashes."""
    program = tmp_path / "a ä" / "program.mjs"
    program.parent.mkdir()
    characters = "// a ä € 😀\n" * 1_000
    hot = "sum = (sum * 31 + at) % 1_000_003; // ä€😀\n"
    program.write_text(
        f"{characters}let sum = 1; const own = {{ get 'sum /of'() {{\n"
        f"for (let at = 1; at < 1e6; at++)\n{hot}}} }}; own['sum /of'];"
    )
    done, (process,) = probed([node, *INTERPRETED, program], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None
    found = {
        (place.function, place.line)
        for place in process.sampling.places
        if place.path == str(program)
    }
    assert found == {("get sum /of", 1_002), ("get sum /of", 1_003)}


@every_node
def test_a_compiled_loop_is_not_counted_and_the_result_says_so(node: str, tmp_path: Path) -> None:
    done, (process,) = probed([node, PROGRAMS / "hot.js", "60000000"], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.compiles
    assert executions(process)["JumpLoop"] < 6_000_000
    parts = parts_of(process)
    assert parts["compiled code"] > 0.4 * sum(parts.values())


@every_node
def test_workers_with_their_own_environment_or_options_are_counted(
    node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten workers; each of them starts another worker."""
    monkeypatch.setenv("NODE_OPTIONS", "--no-deprecation")
    counts = []
    for times in (FEW, MANY):
        command = [node, *INTERPRETED, str(PROGRAMS / "workers.js"), str(times)]
        alone = subprocess.run(command, capture_output=True, text=True, check=True)
        done, (process,) = probed(command, tmp_path / str(times), "count")
        assert (done.returncode, process.refused, done.stdout) == (0, "", alone.stdout), done.stderr
        counts.append(executions(process)["BitwiseXor"])
    threads = 1 + 10 * 2
    assert counts[1] - counts[0] == threads * (MANY - FEW) * OPERATIONS


@every_node
@pytest.mark.parametrize("mode", ("count", "instructions"))
def test_the_code_of_the_probe_is_freed_with_each_worker(
    node: str, mode: Mode, tmp_path: Path
) -> None:
    """There is only room for the code of some hundred workers."""
    command = [node, str(PROGRAMS / "endedWorkers.js"), "4"]
    done, (process,) = probed(command, tmp_path / "processes", mode)
    assert (done.returncode, process.refused, done.stdout) == (0, "", "0\n"), done.stderr
    assert done.stderr == ""


# The innermost callers of the work, which is the same in each. Continued functions have no callers
# of their own.
PATHS = (
    "main;recursive;recursive;recursive;recursive",
    "[truncated];" + ";".join(["deep"] * 64),
    "main;handling",
    "main;callingBack;called",
    "main;convertingInC;converted",
    "main;making;Made",
    "main;consuming;generated",
    "waiting",
    "(anonymous);threaded",
)


def call_paths(process: ProbedProcess) -> Counter[str]:
    """The samples in the function `work` by its callers, from `main` or the thread inwards."""
    (table,) = cost_tables([process])
    assert table.no_call_paths == ""
    found = Counter[str]()
    for stack in table.folded:
        names, count = stack.rsplit(" ", 1)
        functions = [step.rsplit(" (", 1)[0] for step in names.split(";")][1:-2]
        if functions and functions[-1] == "work":
            path = ";".join(functions[:-1])
            found[re.sub(r"^.*;(main|waiting|\(anonymous\);threaded)(;|$)", r"\1\2", path)] += int(
                count
            )
    return found


@every_node
def test_the_call_tree_has_its_shares(node: str, tmp_path: Path) -> None:
    # Both threads run on one processor, since two may differ in speed.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    command = [node, *INTERPRETED, str(PROGRAMS / "callTree.js")]
    done, (process,) = probed(command, tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    found = call_paths(process)
    samples = found.total()
    assert samples > 300
    for path in PATHS:
        assert found[path] / samples == pytest.approx(1 / len(PATHS), abs=0.06), found
    # Samples between two functions may be truncated. No other path exists.
    assert sum(found[path] for path in PATHS) > 0.98 * samples, found


@every_node
def test_compiled_functions_are_among_the_callers(node: str, tmp_path: Path) -> None:
    done, (process,) = probed([node, PROGRAMS / "hot.js", "60000000"], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    (table,) = cost_tables([process])
    compiled = Counter[str]()
    for stack in table.folded:
        names, count = stack.rsplit(" ", 1)
        part, *functions = names.split(";")
        if part == "compiled code":
            compiled[";".join(functions[-2:])] += int(count)
    assert compiled["(anonymous) (hot.js);loop (hot.js)"] > 0.8 * compiled.total(), compiled


@every_node
def test_built_in_functions_are_a_part_with_their_callers(node: str, tmp_path: Path) -> None:
    """V8 compares long strings in a built-in function, for interpreted and for compiled code."""
    for options, part in (((), "built-in functions"), (INTERPRETED, "interpreter")):
        done, (process,) = probed(
            [node, *options, str(PROGRAMS / "compare.js"), "1500000"], tmp_path / part
        )
        assert done.returncode == 0, done.stderr
        parts = parts_of(process)
        assert parts[part] > 0.7 * parts.total(), parts
        (table,) = cost_tables([process])
        paths = [one for one in table.folded if one.startswith(f"{part};")]
        assert any("(anonymous) (compare.js)" in one for one in paths), paths


def parts_of(process: ProbedProcess) -> Counter[str]:
    assert process.sampling is not None
    parts = Counter[str]()
    for place in process.sampling.places:
        parts[place.part] += place.samples
    return parts


@every_node
def test_instructions_of_a_bytecode_do_not_vary(node: str, tmp_path: Path) -> None:
    """Reading an element: the study of 2022 counted 90."""
    command = [node, *INTERPRETED, str(PROGRAMS / "known.js"), "800"]
    _, (process,) = probed(command, tmp_path / "processes", "instructions")
    reads = next(each for each in process.measured if each.bytecode == "GetKeyedProperty")
    assert reads.count > 10
    assert 70 < reads.sum / reads.count < 130


@every_node
def test_the_workers_of_a_cluster_are_followed(node: str, tmp_path: Path) -> None:
    folder = tmp_path / "processes"
    done, processes = probed([node, *INTERPRETED, PROGRAMS / "cluster.js"], folder, "count")
    assert done.returncode == 0, done.stderr
    assert (len(processes), unfinished(folder)) == (3, 0)
    (jumps,) = [table.bytecodes for table in cost_tables(processes)]
    loops = next(one.executions for one in jumps if one.name == "JumpLoop")
    assert 6 * 50_000 < loops < 6 * 50_000 + 20_000


@every_node
def test_a_child_is_probed_and_sees_its_own_options(
    node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--no-warnings")
    code = (
        "console.log(process.env.NODE_OPTIONS, require('node:child_process')"
        ".execFileSync(process.execPath, ['-p', 'process.env.NODE_OPTIONS'], {encoding: 'utf8'}))"
    )
    done, processes = probed([node, "-e", code], tmp_path / "processes")
    assert (done.returncode, len(processes)) == (0, 2), done.stderr
    assert done.stdout == "--no-warnings --no-warnings\n\n"


@every_node
def test_the_permission_model_keeps_the_probe_out_and_the_program_runs(
    node: str, tmp_path: Path
) -> None:
    major = int(re.findall(r"\d+", _version(node))[0])
    option = "--experimental-permission" if major < 23 else "--permission"
    command = [node, option, "--allow-fs-read=*", "-p", "process.permission.has('fs.write')"]
    done, (process,) = probed(command, tmp_path / "processes")
    assert (done.returncode, done.stdout) == (0, "false\n"), done.stderr
    assert process.refused.startswith("this Node runs with restrictions (--permission,")


def _version(node: str) -> str:
    return subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout


@every_node
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("handler", "status"), [("", None), ("process.on(SIGNAL, () => process.exit(7));", 7)]
)
def test_a_program_that_a_signal_ends_leaves_its_results(
    node: str, number: signal.Signals, handler: str, status: int | None, tmp_path: Path
) -> None:
    code = f"{handler} setTimeout(() => {{}}, 60_000); process.kill(process.pid, SIGNAL)"
    folder = tmp_path / "processes"
    done, processes = probed([node, "-e", code.replace("SIGNAL", f"'{number.name}'")], folder)
    assert done.returncode == (-number if status is None else status), done.stderr
    assert (len(processes), unfinished(folder)) == (1, 0)


# Like the package `signal-exit`: if the program has no other listener, the listener ends it.
ENDS_ITSELF = """
function ended() {
    if (process.listenerCount('SIGINT') !== 1) return;
    process.off('SIGINT', ended);
    process.kill(process.pid, 'SIGINT');
}
process.on('SIGINT', ended);
"""


@every_node
@pytest.mark.parametrize(
    ("program", "number"),
    [
        (ENDS_ITSELF, signal.SIGINT),
        ("process.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));", signal.SIGINT),
        ("process.removeAllListeners('SIGTERM');", signal.SIGTERM),
        ("function heard() {} process.on('SIGTERM', heard).off('SIGTERM', heard);", signal.SIGTERM),
    ],
)
def test_a_program_whose_listeners_leave_is_ended_by_the_signal(
    node: str, program: str, number: signal.Signals, tmp_path: Path
) -> None:
    folder = tmp_path / "processes"
    late = f"setTimeout(() => process.kill(process.pid, {number:d}), 10)"
    code = f"{program} {late}; setTimeout(() => {{}}, 20_000)"
    done, processes = probed([node, "-e", code], folder, "count")
    assert (done.returncode, len(processes)) == (-number, 1), done.stderr
    assert unfinished(folder) == 0


@every_node
def test_a_program_that_listens_again_is_not_ended(node: str, tmp_path: Path) -> None:
    code = """
    const kill = () => process.kill(process.pid, 'SIGTERM');
    process.once('SIGTERM', () => {
        process.on('SIGTERM', () => process.exit(process.listenerCount('SIGTERM')));
        kill();
    });
    setTimeout(kill, 10);
    setTimeout(() => {}, 20_000);
    """
    done, processes = probed([node, "-e", code], tmp_path / "processes", "count")
    assert (done.returncode, len(processes)) == (1, 1), done.stderr


@every_node
def test_a_signal_ends_a_program_that_does_not_listen(node: str, tmp_path: Path) -> None:
    """As it does without the probe, though the program never returns to the event loop."""
    folder = tmp_path / "processes"
    code = "process.kill(process.pid, 'SIGINT'); for (;;);"
    done, processes = probed([node, "-e", code], folder, "count")
    assert (done.returncode, len(processes)) == (-signal.SIGINT, 0), done.stderr
    assert unfinished(folder) == 1


@every_node
def test_an_unknown_bytecode_leaves_the_program_alone(node: str, tmp_path: Path) -> None:
    command = [node, "-p", "42"]
    done, (process,) = probed(command, tmp_path / "processes", bytecodes=["JumpLoop", "JumpLop"])
    assert (done.returncode, done.stdout) == (0, "42\n")
    assert re.fullmatch(r"no bytecode JumpLop in Node \d+\.\d+\.\d+", process.refused)


def test_a_version_that_is_too_old_is_left_alone(tmp_path: Path) -> None:
    old = [
        str(one.executable)
        for one in variants()
        if one.family == "node" and one.state == "ready" and not at_least(one.version, "20")
    ]
    if not old:
        pytest.skip("./runfair install node-18")
    done, (process,) = probed([old[0], "-p", "42"], tmp_path / "processes")
    assert (done.returncode, done.stdout) == (0, "42\n")
    assert process.refused == "not supported: the probe knows Node from 20 on"


@every_node
def test_a_table_that_counts_nothing_is_not_trusted(node: str, tmp_path: Path) -> None:
    done, (process,) = probed([node, "--always-sparkplug", "-p", "42"], tmp_path / "processes")
    assert (done.returncode, done.stdout) == (0, "42\n")
    assert "does not count a known loop correctly" in process.refused
