"""What is left of an interrupted run is carried out; a run stays on one machine and kernel."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from evidence.honest_run import honest_run
from evidence.records import Records
from experiment.plans import host
from fairness.checks.test_disturbed_blocks import BLOCK, burned, repeated
from report.page.test_stored_run import stored
from runfair.cli import resume as verb
from runfair.cli.resume import require_same_machine, resume
from runfair.errors import UserMistake
from runfair.evidence.blocks import RecordedRepeats
from runfair.fleet.machines import LOCAL, slurm_target_text
from runfair.formats.run_folder import RunFolder


@pytest.mark.parametrize("name", ["name", "kernel", "processor_model"])
def test_another_machine_is_refused_with_what_differs(name: str) -> None:
    words = name.replace("_", " ")
    with pytest.raises(UserMistake, match=f"{words} was .* the {words} of this machine is other"):
        require_same_machine(host(), host(**{name: "other"}))


def test_a_restart_alone_is_left_to_the_checks() -> None:
    require_same_machine(host(), host(boot_id="another"))


class Resumed:
    """`resume` of a stored run, without measuring: what it would have carried out."""

    def __init__(
        self,
        results: Path,
        run: Records,
        monkeypatch: pytest.MonkeyPatch,
        machines: Path | None = None,
    ) -> None:
        self.folder = stored(results, run)
        self.blocks: list[int] = []
        monkeypatch.setattr(verb, "lock_machine", lambda *_: nullcontext())
        monkeypatch.setattr(verb, "prepare_machine", lambda _: (None, self.folder.host()))
        monkeypatch.setattr(verb, "carry_out", self._carry_out)
        monkeypatch.setattr(verb, "own_version", lambda: "0.2.0")
        resume(results=results, trust=True, machines=machines, json=True)

    def _carry_out(self, folder: RunFolder, plan: Any, *_: Any, **__: Any) -> None:
        self.blocks += {one.block for one in RecordedRepeats(folder, plan).next_block()}


def test_a_repeat_that_was_interrupted_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted = repeated(burned(honest_run()), leave=1)
    resumed = Resumed(tmp_path, interrupted, monkeypatch)
    assert resumed.blocks == [BLOCK]
    assert resumed.folder.plan().runfair == f"{interrupted.plan.runfair}, resumed by 0.2.0"


def test_a_run_of_one_machine_stays_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = repeated(burned(honest_run()), leave=1)
    resumed = Resumed(tmp_path / "results", interrupted, monkeypatch, machines=LOCAL)
    assert resumed.blocks == [BLOCK]
    partition = tmp_path / "machines.toml"
    partition.write_text(slurm_target_text([], "measure", {"service": 1}, 1))
    with pytest.raises(UserMistake, match="this run began on a single machine"):
        Resumed(tmp_path / "others", interrupted, monkeypatch, machines=partition)


@pytest.mark.parametrize("run", [repeated(burned(honest_run())), honest_run()])
def test_a_run_whose_repeats_are_complete_is_complete(
    run: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resumed = Resumed(tmp_path, run, monkeypatch)
    assert resumed.blocks == []
    assert resumed.folder.plan().runfair == run.plan.runfair
