"""The example in docs/examples says only what the command line understands."""

from __future__ import annotations

import re
import shlex
import tomllib

import pytest

from runfair.catalogue.experiment import read_experiment
from runfair.cli.app import Verbs
from runfair.paths import REPOSITORY

EXAMPLES = REPOSITORY / "docs" / "examples"
WORKFLOW = (EXAMPLES / "regression.yml").read_text(encoding="utf-8")
EXPERIMENT = EXAMPLES / "regression.toml"


def commands() -> list[list[str]]:
    """The arguments of every call of the lab, folded lines joined."""
    text = re.sub(r"\n {10}--", " --", WORKFLOW)
    calls = re.findall(r"runfair/runfair ([^\n>]+)", text)
    return [shlex.split(call) for call in calls]


def test_every_step_is_found() -> None:
    assert [call[0] for call in commands()] == ["run", "compare", "compare", "export", "export"]


@pytest.mark.parametrize("call", commands(), ids=" ".join)
def test_every_option_is_one(call: list[str]) -> None:
    command = Verbs().get_command(None, call[0])
    context = command.make_context(call[0], call[1:])
    assert context.params


def test_the_gate_is_closed_by_regressions() -> None:
    gate = commands()[1]
    assert gate[gate.index("--fail-on") + 1] == "regression"
    assert gate[gate.index("--threshold") + 1].endswith("%")


def test_the_experiment_beside_it_has_both_services() -> None:
    named = tomllib.loads(EXPERIMENT.read_text(encoding="utf-8"))
    gate = commands()[1]
    assert gate[gate.index("--variants") + 1 :][:2] == named["serve"][0]["services"]
    assert set(named["services"]) == {"before", "after"}
    assert read_experiment(str(EXPERIMENT)).name == "regression"
