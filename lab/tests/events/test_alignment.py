"""Collections that real, stock runtimes were brought to make, between two readings of the clock:
the events must lie there. The programs rest for 30 ms (Go: 10 ms) around each collection."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from events.watching import PROGRAMS, Watched, needed, shown, watch
from runfair.formats.event import Event

pytestmark = pytest.mark.alone

MARGIN_NS = 1_000_000

# Lines that are placed by their arrival: half a step of `@` and the reading thread come on top,
# on a machine whose processors others use as well.
ARRIVAL_MARGIN_NS = 2_000_000

# Nothing puts Bun's lines right: as late as the reading thread gets a processor where others have
# all of them. On a quiet machine 1 ms is kept (docs/events.md).
UNCORRECTED_MARGIN_NS = 25_000_000
USUAL_MARGIN_NS = 10_000_000  # of most lines


def aligned(watched: Watched, count: int, margin_ns: int = MARGIN_NS) -> None:
    assert watched.reading.processes >= 1
    assert len(watched.windows) == count
    assert shown(watched, margin_ns) == count
    # On a clock that is wrong by more than a window is long the same check fails.
    longest_ns = max(after - before for before, after in watched.windows)
    assert shown(watched, margin_ns, shift_ns=longest_ns + 3 * margin_ns) < count
    assert_in_order(watched)


def assert_in_order(watched: Watched) -> None:
    starts = [event.started_ns for event in watched.reading.events]
    assert starts == sorted(starts)


JVMS = sorted(Path("/usr/lib/jvm").glob("*/bin/java"))


@pytest.fixture(scope="module")
def collecting_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    source = PROGRAMS / "InducedCollections.java"
    javac = needed("javac")
    subprocess.run([javac, "--release", "11", "-d", folder, source], check=True)
    return folder


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1", "Z", "Shenandoah"])
@pytest.mark.parametrize("java", JVMS, ids=lambda java: java.parents[1].name)
def test_jvm(java: Path, collector: str, collecting_class: Path, tmp_path: Path) -> None:
    if java.parents[1].is_symlink():
        pytest.skip("another name of a JVM that is looked at already")
    option = f"-XX:+Use{collector}GC"
    known = subprocess.run([java, option, "-version"], capture_output=True, check=False)
    if known.returncode != 0:
        pytest.skip(f"has no {collector} collector")
    command = [str(java), option, "-Xmx128m", "-cp", str(collecting_class), "InducedCollections"]
    watched = watch("openjdk", command, tmp_path / "with blanks")
    assert watched.status == 0
    aligned(watched, 5)
    assert watched.reading.unread == 0
    induced = [event for event in watched.reading.events if "System.gc()" in event.text]
    assert len(induced) >= (0 if collector == "Shenandoah" else 5)
    kinds = {event.kind for event in watched.reading.events}
    assert {"gc_pause", "safepoint", "compilation"} <= kinds
    assert ("gc_cycle" in kinds) >= (collector in {"Z", "Shenandoah"})

    def stopped(event: Event) -> bool:
        return event.kind == "safepoint"

    assert shown(watched, MARGIN_NS, stopped) == 5


def test_go(tmp_path: Path) -> None:
    go = needed("go", "/usr/local/go/bin/go")
    program = tmp_path / "program"
    subprocess.run(
        [go, "build", "-o", program, PROGRAMS / "induced_collections.go"],
        check=True,
        env={**os.environ, "GOFLAGS": "-p=1", "CGO_ENABLED": "0"},
    )
    watched = watch("go", [str(program)], tmp_path / "events")
    assert watched.status == 0
    aligned(watched, 40, ARRIVAL_MARGIN_NS)
    # As many traces as there are in what was kept, each of two stops and a cycle.
    traces = watched.stderr.count(" ms clock, ")
    assert traces >= 40
    assert len(watched.reading.events) == 3 * traces
    assert watched.reading.unread == 0


@pytest.mark.parametrize("end", ["", "ended", "killed"])
def test_node(end: str, tmp_path: Path) -> None:
    node = needed("node")
    program = str(PROGRAMS / "induced_collections.cjs")
    watched = watch("node", [node, program, end], tmp_path / "with blanks")
    expected = {"": 0, "ended": -signal.SIGTERM, "killed": -signal.SIGKILL}
    assert watched.status == expected[end]
    aligned(watched, 5)
    assert watched.reading.unread == 0
    compiled = any(event.kind == "compilation" for event in watched.reading.events)
    # Trace events are in memory until the end; collections are not.
    assert compiled == (end != "killed")


# Like the package `signal-exit`: if the program has no other listener, the listener ends it.
ENDS_ITSELF = """
function ended() {
    if (process.listenerCount('SIGTERM') !== 1) return;
    process.off('SIGTERM', ended);
    process.kill(process.pid, 'SIGTERM');
}
process.on('SIGTERM', ended);
"""


@pytest.mark.parametrize(
    ("program", "status"),
    [
        (ENDS_ITSELF, -signal.SIGTERM),
        ("process.once('SIGTERM', () => {}).removeAllListeners('SIGTERM');", -signal.SIGTERM),
        ("process.on('SIGTERM', () => process.exit(7));", 7),
    ],
)
def test_a_node_that_listens_to_signals_ends_as_without_events(
    program: str, status: int, tmp_path: Path
) -> None:
    late = "setTimeout(() => process.kill(process.pid, 'SIGTERM'), 10)"
    code = f"{program} {late}; setTimeout(() => process.exit(1), 10_000)"
    watched = watch("node", [needed("node"), "-e", code], tmp_path / "events")
    assert watched.status == status, watched.stderr
    assert any(event.kind == "compilation" for event in watched.reading.events)


def test_bun(tmp_path: Path) -> None:
    bun = needed("bun")
    watched = watch("bun", [bun, str(PROGRAMS / "induced_collections.cjs")], tmp_path / "events")
    assert watched.status == 0
    assert len(watched.windows) == 5
    assert shown(watched, UNCORRECTED_MARGIN_NS) == 5
    assert shown(watched, USUAL_MARGIN_NS) >= 3
    assert_in_order(watched)


PYTHONS = [
    Path("/usr/bin/python3"),
    *sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3")),
]


@pytest.mark.parametrize("python", [PYTHONS[0], *PYTHONS[-1:]], ids=str)
@pytest.mark.parametrize("end", ["", "killed"])
def test_cpython(python: Path, end: str, tmp_path: Path) -> None:
    command = [needed(str(python)), str(PROGRAMS / "induced_collections.py"), end]
    watched = watch("cpython", command, tmp_path / "events")
    assert watched.status == (-signal.SIGKILL if end else 0)
    aligned(watched, 5)
    assert {event.source for event in watched.reading.events} == {"cpython"}
    assert watched.reading.unread == 0


def test_a_forked_python_has_a_file_of_its_own(tmp_path: Path) -> None:
    command = [needed("python3"), str(PROGRAMS / "induced_collections.py"), "forked"]
    watched = watch("cpython", command, tmp_path / "events")
    aligned(watched, 10)
    assert watched.reading.processes == 2
    assert len({event.pid for event in watched.reading.events}) == 2


def test_pypy(tmp_path: Path) -> None:
    command = [needed("pypy3"), str(PROGRAMS / "induced_collections.py")]
    watched = watch("pypy", command, tmp_path / "events")
    assert watched.status == 0
    aligned(watched, 5)
    assert {event.source for event in watched.reading.events} == {"pypy"}
    # Each induced collection is reported to its end; PyPy may begin one by itself.
    assert len([event for event in watched.reading.events if event.kind == "gc_cycle"]) >= 5


def test_two_collections_of_pypy_in_one_call_are_two(tmp_path: Path) -> None:
    command = [needed("pypy3"), str(PROGRAMS / "begun_collections.py")]
    watched = watch("pypy", command, tmp_path / "events")
    assert watched.status == 0
    ends = [event.started_ns for event in watched.reading.events if event.kind == "gc_cycle"]
    assert [
        sum(before_ns < end_ns < after_ns for end_ns in ends)
        for before_ns, after_ns in watched.windows
    ] == [2] * 5


def test_the_users_own_sitecustomize_still_runs(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys\nsys.stderr.write('mine, once\\n')\n")
    command = [needed("python3"), str(PROGRAMS / "induced_collections.py")]
    watched = watch("cpython", command, tmp_path / "events", {"PYTHONPATH": str(own)})
    assert watched.stderr == "mine, once\n"
    aligned(watched, 5)
