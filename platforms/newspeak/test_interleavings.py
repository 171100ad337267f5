"""The deterministic mode: a seed decides the interleaving, which is recorded and repeated."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIMIT_S = 300  # ends a command that hangs; on a busy machine the slowest takes minutes


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the command to its end. If it hangs, the test fails."""
    return subprocess.run(
        [HERE / "newspeak", *words],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.mark.parametrize("seed", ["1", "2"])
def test_actors_in_seeded_interleavings(seed: str) -> None:
    suites = [HERE / "tests" / name for name in ("ActorTests.ns", "ThreadingTests.ns")]
    done = run("--seed", seed, HERE / "library" / "TestRunner.ns", *suites)
    total = re.search(r"^Total Number of Tests: {6}(\d+)$", done.stdout, re.MULTILINE)
    assert total and int(total[1]) > 0, done.stdout
    assert f"Number of Successful Tests: {total[1]}\n" in done.stdout


def test_a_seed_decides_the_interleaving(tmp_path: Path) -> None:
    program = HERE / "tests" / "Interleaving.ns"
    told = [run("--seed", str(seed), program).stdout for seed in (1, 1, 2, 3)]
    assert told[0] == told[1]
    assert len(set(told)) > 1
    for text in told:
        # In whatever order the actors run, no actor loses a message or reports its turns in the
        # wrong order.
        assert sorted(text.split()) == sorted(f"{name}{n}" for name in "abc" for n in (1, 2, 3, 4))
        for name in "abc":
            assert [word for word in text.split() if word[0] == name] == [
                f"{name}{n}" for n in (1, 2, 3, 4)
            ]
    record = tmp_path / "record"
    assert run("--seed", "2", "--record", record, program).stdout == told[2]
    assert run("--replay", record, program).stdout == told[2]


def test_the_delays_of_threads_are_virtual() -> None:
    done = run("--seed", "1", HERE / "tests" / "ThreadDelays.ns")
    assert done.stdout == "false\nquick\nslow\n"
    assert done.returncode == 0, done.stderr


def test_a_recording_of_a_program_that_ends_while_others_run_is_complete(tmp_path: Path) -> None:
    """The actors answer each other without end; `main:` answers at once."""
    program = tmp_path / "Endless.ns"
    program.write_text(
        """class Endless usingPlatform: p = Value (| private actors = p actors. |)(
  class Echo = Value ()( public answer: other = ( other <-: answer: self ) )
  public main: args = (
    | one = actors createActorFromValue: Echo new. |
    one <-: answer: (actors createActorFromValue: Echo new).
    ^ 0
  )
)
""",
        encoding="utf-8",
    )
    record = tmp_path / "record"
    done = run("--seed", "1", "--record", record, program)
    assert (done.returncode, done.stderr) == (0, "")
    assert record.read_text(encoding="utf-8") == "0\n"  # the turn of main: is the last one
    done = run("--replay", record, program)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "recorded", ["0\n", "-1\n", "0\n" * 100], ids=["short", "negative", "long"]
)
def test_a_recording_of_another_program_is_refused(tmp_path: Path, recorded: str) -> None:
    record = tmp_path / "record"
    record.write_text(recorded, encoding="utf-8")
    done = run("--replay", record, HERE / "tests" / "Interleaving.ns")
    assert done.returncode == 1
    assert done.stderr == (
        "The recording does not fit this program; it was made with another program\n"
    )


def test_a_recording_that_cannot_be_written(tmp_path: Path) -> None:
    record = tmp_path / "missing" / "record"
    hello = HERE / "tests" / "snippets" / "Hello.ns"
    done = run("--seed", "1", "--record", record, hello)
    assert (done.returncode, done.stderr) == (1, f"The recording {record} cannot be written\n")
    done = run("--record", record, hello)
    assert done.returncode == 1
    assert "--record needs --seed" in done.stderr
