"""Slurm's commands: how they are run, and what their failures say."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.fleet.slurm import NEEDED_VERSION, Slurm, outside_job, require_installed
from runfair.fleet.slurm_answer import SlurmError

RECORDED = Path(__file__).parent / "recorded"


def answering(tmp_path: Path, name: str, script: str) -> Slurm:
    """Slurm whose command of this name is a script."""
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return Slurm(("env", f"PATH={tmp_path}:/usr/bin:/bin"))


def test_a_partition_that_does_not_exist(tmp_path: Path) -> None:
    slurm = answering(tmp_path, "sinfo", f"cat {RECORDED / 'sinfo-22.05.json'}")
    assert len(slurm.nodes("measure")) == 3
    with pytest.raises(SlurmError, match="Slurm has no partition nope; its partitions are measure"):
        slurm.nodes("nope")


def test_an_old_slurm_or_none(tmp_path: Path) -> None:
    said = f"sinfo --json printed no JSON, but: PARTITION AVAIL; {NEEDED_VERSION}"
    with pytest.raises(SlurmError, match=f"^{said}$"):
        answering(tmp_path, "sinfo", "echo; echo PARTITION AVAIL").nodes()
    said = f"sinfo: unrecognized option '--json'; {NEEDED_VERSION}"
    with pytest.raises(SlurmError, match=f"^{said}$"):
        answering(tmp_path, "sinfo", f'echo "{said.partition(";")[0]}" >&2; exit 1').nodes()
    with pytest.raises(SlurmError, match="Unable to contact slurm controller"):
        answering(
            tmp_path,
            "sinfo",
            "echo 'slurm_load_node: error: Unable to contact slurm controller' >&2; exit 1",
        ).nodes()
    with pytest.raises(SlurmError, match=r"^/nowhere/enter, which `enter` .* correct `enter`$"):
        Slurm(("/nowhere/enter",)).nodes()
    with pytest.raises(SlurmError, match=r" cannot be started \(Permission denied\); correct `en"):
        Slurm((str(tmp_path),)).nodes()
    with pytest.raises(
        UserMistake,
        match=(r"are missing on this machine; install them with: apt-get install slurm-wlm"),
    ):
        require_installed(["sinfo-that-is-nowhere"])


def test_an_answer_without_slurm_is_no_empty_answer(tmp_path: Path) -> None:
    """Slurm 22.05 prints an empty list, and ends with status 0, if it does not reach munge or the
    controller."""
    answer = '{"errors": [{"error": "Unspecified error", "errno": -1}], "nodes": [], "jobs": []}'
    said = "error: Munge encode failed (Did you start munged?)"
    for name in ("sinfo", "squeue"):
        slurm = answering(tmp_path, name, f"echo '{answer}'; echo '{name}: {said}' >&2")
        with pytest.raises(SlurmError, match=rf"^{name}: Munge encode failed"):
            _ = slurm.nodes() if name == "sinfo" else slurm.jobs()
    with pytest.raises(SlurmError, match=r"^squeue: Slurm's controller does not answer"):
        answering(tmp_path, "squeue", f"echo '{answer}'").job(7)
    later = '{"errors": [{"description": "Query failed", "error_number": 1007}], "jobs": []}'
    with pytest.raises(SlurmError, match=r"^squeue: Query failed$"):
        answering(tmp_path, "squeue", f"echo '{later}'").job(7)


def test_a_job_that_cannot_be_cancelled_is_named(tmp_path: Path) -> None:
    said = "scancel: error: Kill job error on job id 7: Invalid job id specified"
    answering(tmp_path, "scancel", f"echo '{said}' >&2; exit 1").cancel(7)  # has ended long ago
    said = "scancel: error: Kill job error on job id 7: Unable to contact slurm controller"
    with pytest.raises(SlurmError, match=r"Unable to contact .*, so cancel it with: scancel 7$"):
        answering(tmp_path, "scancel", f"echo '{said}' >&2; exit 1").cancel(7)


def test_the_user_s_own_views_of_slurm_hide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    for name in ("SINFO_PARTITION", "SQUEUE_USERS", "SALLOC_QOS", "SLURM_CLUSTERS"):
        monkeypatch.setenv(name, "own")
    own = [name for name, value in outside_job().items() if value == "own"]
    assert own == ["SALLOC_QOS", "SLURM_CLUSTERS"]


def test_words_reach_slurm_whole_through_the_shell_of_ssh(tmp_path: Path) -> None:
    """A program of the name ssh that does what ssh does: it joins the words for a shell."""
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')
    ssh.chmod(0o755)
    words = ["--constraint=epyc&ib", "two words", "$HOME"]
    for enter in (("env",), (str(ssh), "login")):
        assert Slurm(enter).output("printf", "%s\n", *words).splitlines() == words


def test_a_machine_without_slurms_configuration(tmp_path: Path) -> None:
    said = (
        "sinfo: error: fetch_config: DNS SRV lookup failed\n"
        "sinfo: fatal: Could not establish a configuration source"
    )
    with pytest.raises(
        SlurmError, match=r"^sinfo: Could not establish .*; write /etc/slurm/slurm.conf"
    ):
        answering(tmp_path, "sinfo", f"echo '{said}' >&2; exit 1").nodes()


def test_a_cluster_that_has_ended() -> None:
    with pytest.raises(
        SlurmError, match=r"^the command `enter` .* does not reach Slurm \(.*\); if Slurm"
    ):
        Slurm(("nsenter", "--target", "999999999", "--all")).nodes()
