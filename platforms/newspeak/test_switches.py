"""Each optimisation of actors can be switched off, and programs then compute the same answers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
LIMIT_S = 300
QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dpolyglot.engine.Compilation=false"
SWITCHES = ["lookupCache", "callingContext", "unusedPromises", "localQueues"]


def switched_off(switch: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [HERE / "newspeak", *words],
        env={**os.environ, "NEWSPEAK_JAVA_FLAGS": f"{QUICKLY} -Dnewspeak.{switch}=false"},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.mark.parametrize("switch", SWITCHES)
def test_actors_give_the_same_answers(switch: str) -> None:
    runner, suite = HERE / "library" / "TestRunner.ns", HERE / "tests" / "ActorTests.ns"
    done = switched_off(switch, runner, suite)
    total = suite.read_text(encoding="utf-8").count("public test")
    assert f"Number of Successful Tests: {total}\n" in done.stdout
    assert done.returncode == 0


def test_the_switches_change_how_a_message_is_received() -> None:
    """The report of an unhandled exception says where the message was sent, if that is known."""
    snippet = HERE / "tests" / "snippets" / "UnheardBroken.ns"
    lost = "Unhandled exception in a turn without a promise"
    shown = {switch: switched_off(switch, snippet).stderr for switch in SWITCHES}
    for switch in ("lookupCache", "localQueues"):
        assert lost in shown[switch]
        assert "sent at" in shown[switch]
    assert lost in shown["callingContext"]
    assert "sent at" not in shown["callingContext"]
    assert lost not in shown["unusedPromises"]
    assert shown["unusedPromises"].count("A promise was broken, and it has no listener") == 2
