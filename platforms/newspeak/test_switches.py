"""Each optimisation of actors can be switched off, and programs then compute the same answers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIMIT_S = 300
pytestmark = pytest.mark.usefixtures("interpreted")
SWITCHES = [
    "lookupCache",
    "callingContext",
    "argumentWrapping",
    "valueChecks",
    "unusedPromises",
    "localQueues",
]
# The node that only runs if the optimisation is on.
NODES = {
    "argumentWrapping": "newspeak.actors.PassNodeGen",
    "valueChecks": "newspeak.nodes.IsValueNodeGen",
}


def switched_off(
    switch: str, *words: str | Path, flags: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs the command with an optimisation off, or with all of them on if `switch` is empty."""
    switch = f"-Dnewspeak.{switch}=false" if switch else ""
    own = os.environ["NEWSPEAK_JAVA_FLAGS"]
    return subprocess.run(
        [HERE / "newspeak", *words],
        env={**os.environ, "NEWSPEAK_JAVA_FLAGS": f"{own} {switch} {flags}"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def check_suite(switch: str, name: str) -> None:
    runner, suite = HERE / "library" / "TestRunner.ns", HERE / "tests" / name
    done = switched_off(switch, runner, suite)
    # The tests of contexts; those of classes inside a context are what the context tests.
    total = suite.read_text(encoding="utf-8").count("\n    public test")
    assert f"Number of Successful Tests: {total}\n" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize("switch", SWITCHES)
def test_actors_give_the_same_answers(switch: str) -> None:
    check_suite(switch, "ActorTests.ns")


def test_values_give_the_same_answers() -> None:
    check_suite("valueChecks", "ExceptionTests.ns")


@pytest.mark.long
@pytest.mark.parametrize("suite", sorted(one.name for one in (HERE / "tests").glob("*Tests.ns")))
@pytest.mark.parametrize("switch", SWITCHES)
def test_every_suite_gives_the_same_answers(switch: str, suite: str) -> None:
    check_suite(switch, suite)


def classes_loaded(switch: str, log: Path) -> str:
    """The classes that the JVM loaded for a program with values and another actor, a line each."""
    snippet = HERE / "tests" / "snippets" / "UnheardBrokenFar.ns"
    # A cache of classes would load them all at the start.
    flags = f"-XX:AOTMode=off -Xlog:class+load:file={log}"
    done = switched_off(switch, snippet, flags=flags)
    assert done.returncode == 0, done.stderr
    return log.read_text(encoding="utf-8")


def test_the_nodes_that_specialise_run_only_if_the_switch_is_on(tmp_path: Path) -> None:
    usual = classes_loaded("", tmp_path / "on")
    for switch, node in NODES.items():
        assert f" {node} " in usual
        assert f" {node} " not in classes_loaded(switch, tmp_path / switch)


def test_the_switches_change_how_a_message_is_received() -> None:
    """The report of an unhandled exception says where the message was sent, if that is known."""
    snippet = HERE / "tests" / "snippets" / "UnheardBroken.ns"
    lost = "Unhandled exception in a turn without a promise"
    sent = "UnheardBroken.ns:11:21"
    shown = {switch: switched_off(switch, snippet).stderr for switch in SWITCHES}
    for switch in ("lookupCache", "argumentWrapping", "valueChecks", "localQueues"):
        assert lost in shown[switch]
        assert sent in shown[switch]
    assert lost in shown["callingContext"]
    assert sent not in shown["callingContext"]
    assert lost not in shown["unusedPromises"]
    assert shown["unusedPromises"].count("A promise was broken, but nobody listens to it") == 2
