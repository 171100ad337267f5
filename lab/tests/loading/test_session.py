"""A running load, with a stand-in that speaks as the generator does."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from runfair.errors import InvalidResult, UserMistake
from runfair.formats.record import BrokenLoadFile
from runfair.loading.generator import (
    GeneratorLost,
    LoadFiles,
    Progress,
    Session,
    StandardError,
    start,
)
from runfair.loading.load import Load

SAMPLE = Path(__file__).with_name("samples") / "load.json"
LOAD = Load("http://localhost:1/", rate=100, requests=100)
PROGRESS = (
    '{"event":"progress","loop":"open","elapsed_ns":%d,"horizon_ns":1000,"scheduled":4,"sent":3,'
    '"completed":2,"failed":1,"overdue":1,"p50_ns":null,"p99_ns":null,"max_ns":null,'
    '"achieved_per_s":2.0}'
)
STAND_IN = """#!{python}
import shutil, signal, sys, time
options = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
def finish(*_):
    shutil.copy({sample!r}, options["--json"])
    sys.exit({status})
def say(text):
    print(text, file=sys.stderr, flush=True)
{code}
finish()
"""


class StandIn:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = LoadFiles.below(folder, records=True)

    def started(self, code: str, status: int = 0) -> Session:
        script = self.folder / "generator"
        text = STAND_IN.format(python=sys.executable, sample=str(SAMPLE), code=code, status=status)
        script.write_text(text)
        script.chmod(0o755)
        return start(script, LOAD, self.files)


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    return StandIn(tmp_path)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def pid_of(session: Session) -> int:
    return session._process.pid


def test_progress_comes_as_it_is_said(stand_in: StandIn) -> None:
    code = f"say({PROGRESS % 100!r})\nsay({PROGRESS % 200!r})"
    with stand_in.started(code) as session:
        assert [progress.elapsed_ns for progress in session] == [100, 200]
        assert session.result().requests.good == 200
    assert gone(pid_of(session))


def test_progress_is_understood_in_whatever_parts_it_arrives() -> None:
    error, found = StandardError(), []
    said = f"{PROGRESS % 100}\na warning\n{PROGRESS % 200}\n".encode()
    for at in range(0, len(said), 50):
        found += error.add(said[at : at + 50])
    assert [one.elapsed_ns for one in found] == [100, 200]
    assert error.complaints == ["a warning"]


def test_the_progress_of_several_generators_is_added_up() -> None:
    first = Progress.model_validate_json(PROGRESS % 100)
    far = {"elapsed_ns": 50, "p99_ns": 7, "max_ns": 9, "achieved_per_s": 3.5}
    second = first.model_copy(update=far)
    third = first.model_copy(update={"p99_ns": 5})
    whole = Progress.together([first, second, third])
    assert (whole.elapsed_ns, whole.horizon_ns) == (100, 1000)
    assert (whole.scheduled, whole.sent, whole.completed) == (12, 9, 6)
    assert (whole.failed, whole.overdue, whole.achieved_per_s) == (3, 3, 7.5)
    assert (whole.p50_ns, whole.p99_ns, whole.max_ns) == (None, 7, 9)


def test_the_command_line_names_the_files_and_the_load(stand_in: StandIn) -> None:
    code = "print(*sys.argv[1:], sep='\\n')"
    with stand_in.started(code) as session:
        session.result()
    words = stand_in.files.table.read_text().splitlines()
    folder = stand_in.folder
    assert words[:4] == [
        "--progress=json",
        f"--json={folder}/load.json",
        f"--hlog={folder}/load.hlog",
        f"--records={folder}/load.records",
    ]
    assert words[4:] == LOAD.arguments()


def test_a_void_load_has_its_result(stand_in: StandIn) -> None:
    with stand_in.started("", status=3) as session:
        assert session.result().requests.scheduled == 200


def test_a_mistake_is_its_own_line(stand_in: StandIn) -> None:
    code = "say('runfair-load: nobody listens'); say('more'); sys.exit(2)"
    with (
        stand_in.started(code) as session,
        pytest.raises(UserMistake, match=r"^runfair-load: nobody listens$"),
    ):
        session.result()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("say('thread panicked'); sys.exit(101)", "status 101: thread panicked"),
        ("sys.exit(1)", "status 1: it printed no error message"),
        ("import os; os.kill(os.getpid(), 9)", "ended by signal 9"),
    ],
)
def test_an_end_without_a_result_is_lost(stand_in: StandIn, code: str, message: str) -> None:
    with stand_in.started(code) as session, pytest.raises(GeneratorLost, match=message):
        session.result()
    assert issubclass(GeneratorLost, InvalidResult)


def test_an_old_result_is_never_taken_for_the_new(stand_in: StandIn) -> None:
    stand_in.files.result.write_bytes(SAMPLE.read_bytes())
    with stand_in.started("sys.exit(0)") as session, pytest.raises(BrokenLoadFile):
        session.result()


def test_progress_of_another_kind_is_a_bug(stand_in: StandIn) -> None:
    with (
        stand_in.started('say(\'{"event":"other"}\')') as session,
        pytest.raises(RuntimeError, match="progress lines that runfair cannot read"),
    ):
        list(session)


LASTING = f"""
signal.signal(signal.SIGINT, finish)
say({PROGRESS % 100!r})
time.sleep(60)
"""


def test_an_interrupt_leaves_written_files_and_no_process(stand_in: StandIn) -> None:
    with pytest.raises(KeyboardInterrupt), stand_in.started(LASTING) as session:
        next(iter(session))
        raise KeyboardInterrupt
    assert gone(pid_of(session))
    assert stand_in.files.result.read_bytes() == SAMPLE.read_bytes()


def test_one_that_is_asked_to_end_gives_its_result(stand_in: StandIn) -> None:
    with stand_in.started(LASTING) as session:
        for _ in session:
            session.interrupt()
        assert session.result().requests.good == 200


def test_one_that_does_not_end_is_killed(
    stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = f"signal.signal(signal.SIGINT, signal.SIG_IGN)\nsay({PROGRESS % 100!r})\ntime.sleep(60)"
    with stand_in.started(deaf) as session:
        next(iter(session))
        monkeypatch.setattr(session, "_grace_s", 0.2)
    assert gone(pid_of(session))
    assert not stand_in.files.result.exists()


def test_a_second_interrupt_while_it_writes_ends_it(stand_in: StandIn) -> None:
    slow = f"""
def slowly(*_):
    time.sleep(60)
signal.signal(signal.SIGINT, slowly)
say({PROGRESS % 100!r})
time.sleep(60)
"""

    def second(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), stand_in.started(slow) as session:
        next(iter(session))
        before = signal.signal(signal.SIGALRM, second)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
    signal.signal(signal.SIGALRM, before)
    assert gone(pid_of(session))


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"the load generator cannot be started \(No such file"):
        start(tmp_path / "nothing", LOAD, LoadFiles.below(tmp_path))
    with pytest.raises(UserMistake, match=r"the load generator cannot be started \(No such file"):
        start(Path("/bin/true"), LOAD, LoadFiles.below(tmp_path / "nowhere"))


def test_the_terminals_interrupt_reaches_the_lab_alone(stand_in: StandIn) -> None:
    with stand_in.started(LASTING) as session:
        next(iter(session))
        assert os.getpgid(pid_of(session)) != os.getpgid(0)
