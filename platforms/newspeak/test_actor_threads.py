"""The threads of an actor, and modules that are made once for all threads and actors."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TESTS = HERE / "tests"
LIMIT_S = 120  # ends a command that hangs

pytestmark = pytest.mark.usefixtures("interpreted")


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end. If it hangs, the test fails."""
    return subprocess.run(
        [HERE / "newspeak", *words], capture_output=True, text=True, timeout=LIMIT_S, check=False
    )


@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_initialiser_that_waits_for_another_turn_keeps_no_other_actor_waiting(
    threads: str,
) -> None:
    program, gated = TESTS / "GatedLater.ns", TESTS / "Gated.ns"
    done = run("-t", threads, program, gated, TESTS / "Singleton.ns")
    assert (done.returncode, done.stdout) == (0, "true\n"), done.stderr


def test_while_a_thread_waits_for_a_module_of_another_actor_the_others_go_on(
    tmp_path: Path,
) -> None:
    program, gated = TESTS / "GatedMeanwhile.ns", TESTS / "Gated.ns"
    done = run("-t", "2", program, gated, tmp_path / "made")
    assert (done.returncode, done.stdout) == (0, "true\n"), done.stderr


def test_actors_whose_modules_want_each_other_do_not_wait_without_end(tmp_path: Path) -> None:
    one, two = (shutil.copy(TESTS / "Gated.ns", tmp_path / name) for name in ("One.ns", "Two.ns"))
    done = run("-t", "2", TESTS / "GatedCrosswise.ns", one, two)
    assert (done.returncode, done.stdout) == (0, "true\n"), done.stderr


def test_the_java_thread_of_a_task_that_has_ended_is_used_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEWSPEAK_JAVA_FLAGS", "-XX:+UseSerialGC -Xlog:os+thread")
    done = run(TESTS / "ManyTasks.ns")
    assert done.returncode == 0, done.stderr
    started = len(re.findall(r"\[os,thread\] Thread .*started", done.stdout))
    assert 0 < started < 100  # the program spawns 200 tasks


def test_an_actor_itself_reports_the_promises_that_the_text_of_its_error_breaks() -> None:
    done = run("-t", "1", TESTS / "UnheardInText.ns")
    told = "A promise was broken, but nobody listens to it:"
    assert (done.returncode, done.stderr) == (0, f"{told} first\n{told} second\n")
