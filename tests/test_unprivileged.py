"""A lab that runs as root: its programs run as somebody who can write only where they have to."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from laboratory import Lab, default_of
from programs import PREAMBLE
from runfair.machine.user import unprivileged_user, unreachable
from runfair.paths import REPOSITORY, private_folder
from test_misbehaving_programs import digest

TELLS = (
    PREAMBLE
    + """
def refused(folder):
    try:
        open(os.path.join(folder, "written"), "w").close()
    except OSError as error:
        return error.strerror
    return "written"

start(effective={"uid": os.getuid(), "groups": len(os.getgroups()), "home": os.environ["HOME"],
    **{name: refused(folder) for name, folder in FOLDERS.items()}})
iteration(0)
say("end", iterations=1)
"""
)
EXPERIMENT = """
{key}
[[measure]]
benchmarks = ["sort"]
workloads = ["classic"]
variants = ["telling-1.0"]
modes = ["cold"]

[[measure]]
benchmarks = ["timer-lateness"]
variants = ["{native}"]
modes = ["cold"]

[profiles.smoke]
executions = 2
"""


@pytest.fixture
def open_lab() -> Iterator[Lab]:
    """With results that everybody may read, unlike pytest's own folders."""
    user = unprivileged_user()
    if user is None:
        pytest.skip("only a lab that runs as root changes the user of its programs")
    if hidden := unreachable(user, [REPOSITORY, private_folder()]):
        pytest.skip(f"user {user.uid} cannot read {hidden}, so that programs run as root")
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="runfair-unprivileged-") as scratch:
        Path(scratch).chmod(0o755)
        yield Lab(Path(scratch))


def tell(lab: Lab, folders: dict[str, Path], key: str = "") -> dict[str, object]:
    """What a program says of itself, and of its attempts to write to these folders."""
    named = json.dumps({name: str(folder) for name, folder in folders.items()})
    script = TELLS.replace("DIGEST", digest()).replace("FOLDERS", named)
    lab.add_runtime("telling", script)
    text = EXPERIMENT.format(key=key, native=default_of("c++"))
    lab.measured("run", lab.experiment(text), "--profile", "smoke")
    records = {one["cell"].split("/")[0]: one for one in lab.executions()}
    for one in records.values():
        assert one["outcome"] == {"state": "completed", "reason": ""}
    assert {one["launch"]["uid"] for one in records.values()} == {
        records["sort"]["start"]["effective"]["uid"]
    }
    effective: dict[str, object] = records["sort"]["start"]["effective"]
    return effective


def test_programs_run_as_nobody_and_write_where_they_are_told_to_alone(open_lab: Lab) -> None:
    user = unprivileged_user()
    assert user is not None
    folders = {
        "results": open_lab.results,
        "private": private_folder(),
        "repository": REPOSITORY,
    }
    assert tell(open_lab, folders) == {
        "uid": user.uid,
        "groups": 0,
        "home": "/nonexistent",
        **dict.fromkeys(folders, "Permission denied"),
    }
    plan = open_lab.plan()
    assert not [one for one in plan["limitations"] if "run as root" in one]
    # The program with a distribution could keep its samples, and left none behind.
    assert not list(open_lab.run_folder().glob("raw/*/samples"))


def test_an_experiment_says_why_not(open_lab: Lab) -> None:
    results = {"results": open_lab.results}
    said = tell(open_lab, results, 'run_as_root = "it binds port 80"')
    assert said["uid"] == os.geteuid()
    assert said["results"] == "written"
    plan = open_lab.plan()
    assert "the programs run as root, because it binds port 80" in plan["limitations"]
