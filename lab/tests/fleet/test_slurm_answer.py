"""Slurm's answers: recorded from 22.05, and in the forms that later versions publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runfair.fleet.slurm_answer import SlurmError, cause, parse_jobs, parse_nodes

RECORDED = Path(__file__).parent / "recorded"


def recorded(name: str) -> Any:
    return json.loads((RECORDED / name).read_text())


def test_nodes_of_22_05() -> None:
    one, two, _ = parse_nodes(recorded("sinfo-22.05.json"))
    assert (one.name, one.state, one.processors, one.partitions) == (
        "host1",
        "IDLE",
        1,
        ("measure",),
    )
    assert one.usable
    assert one.problem == ""
    assert not two.usable
    assert two.problem == "idle drain (fan broken)"


def test_jobs_of_22_05() -> None:
    waits, runs = parse_jobs(recorded("squeue-22.05.json"))
    assert (waits.number, waits.name, waits.state) == (1, "waits", "PENDING")
    assert waits.reason == "ReqNodeNotAvail, UnavailableNodes:host2"
    assert not waits.ended
    assert runs.reason == ""


def grouped(name: str, partition: str, *states: str) -> dict[str, Any]:
    """An entry as the schema of OpenAPI v0.0.40 has it; not recorded from a cluster."""
    return {
        "nodes": {"nodes": [name, f"{name}b"]},
        "node": {"state": list(states)},
        "cpus": {"minimum": 64, "maximum": 64},
        "memory": {"minimum": 512000, "maximum": 512000},
        "features": {"total": "epyc,quiet"},
        "partition": {"name": partition},
        "reason": {"description": "broken"},
    }


def test_nodes_of_later_versions_come_in_groups_and_once_a_partition() -> None:
    answer = {
        "sinfo": [grouped("n1", "short", "IDLE"), grouped("n1", "long", "IDLE", "NOT_RESPONDING")]
    }
    nodes = parse_nodes(answer)
    assert [node.name for node in nodes] == ["n1", "n1b"]
    assert nodes[0].partitions == ("short", "long")
    assert nodes[0].features == ("epyc", "quiet")
    assert nodes[0].processors == 64
    assert nodes[0].problem == "idle not_responding (broken)"
    as_text = {**grouped("n1", "short", "IDLE", "DRAIN"), "reason": "fan"}
    assert parse_nodes({"sinfo": [as_text]})[0].problem == "idle drain (fan)"
    asleep = grouped("n1", "short", "IDLE", "CLOUD", "POWERED_DOWN")
    assert parse_nodes({"sinfo": [asleep]})[0].usable  # Slurm starts it for a job


def test_jobs_of_later_versions_have_lists_and_wrapped_numbers() -> None:
    entry = {
        "job_id": {"set": True, "infinite": False, "number": 7},
        "name": "x",
        "job_state": ["RUNNING"],
        "state_reason": "None",
        "nodes": "n[1-2]",
    }
    (job,) = parse_jobs({"jobs": [entry]})
    assert (job.number, job.state, job.reason, job.holds_nodes) == (7, "RUNNING", "", True)


@pytest.mark.parametrize(
    ("states", "holds", "ended"),
    [
        (["PENDING"], False, False),
        (["RUNNING", "CONFIGURING"], True, False),
        ("SIGNALING", True, False),
        (["CANCELLED", "COMPLETING"], False, False),
        ("COMPLETING", False, False),
        (["PREEMPTED"], False, True),
    ],
)
def test_a_job_has_not_ended_while_its_steps_are_ended(
    states: list[str] | str, holds: bool, ended: bool
) -> None:
    (job,) = parse_jobs({"jobs": [{"job_id": 7, "name": "x", "job_state": states}]})
    assert (job.holds_nodes, job.ended) == (holds, ended)


@pytest.mark.parametrize(
    "answer",
    [
        *({}, {"nodes": [{"name": "x"}]}, {"sinfo": [{}]}, []),
        {"sinfo": [{**grouped("n1", "short", "IDLE"), "reason": 5}]},
    ],
)
def test_another_form_is_one_line(answer: Any) -> None:
    with pytest.raises(SlurmError, match="JSON of an unknown form"):
        parse_nodes(answer)
    with pytest.raises(SlurmError, match="JSON of an unknown form"):
        parse_jobs(answer)


@pytest.mark.parametrize(
    ("said", "named"),
    [
        (
            "salloc: error: invalid partition specified: nope\n"
            "salloc: error: Job submit/allocate failed: Invalid partition name specified\n",
            "Job submit/allocate failed: Invalid partition name specified",
        ),
        (
            "srun: error: Slurm job 2 has expired\n"
            "srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 2\n",
            "Slurm job 2 has expired",
        ),
        (
            "srun: Job step aborted: Waiting up to 7 seconds for job step to finish.\n"
            "slurmstepd-host3: error: *** STEP 3.2 ON host3 CANCELLED AT 2026 ***\n"
            "srun: error: host3: task 0: Terminated\n",
            "slurmstepd-host3: error: *** STEP 3.2 ON host3 CANCELLED AT 2026 ***",
        ),
        ("srun: error: Node failure on host3\n", "Node failure on host3"),
        (
            "sinfo: error: If munged is up, restart with --num-threads=10\n"
            "sinfo: error: Munge encode failed: Failed to access socket (Did you start munged?)\n"
            "sinfo: error: slurm_send_node_msg: has authentication error\n",
            "Munge encode failed: Failed to access socket (Did you start munged?)",
        ),
        (
            "salloc: Pending job allocation 7\nsalloc: job 7 queued and waiting for resources\n"
            "salloc: Job allocation 7 has been revoked.\n",
            "Job allocation 7 has been revoked.",
        ),
        (
            "/usr/bin/env: '/lab/bin/python': No such file or directory\n"
            "srun: error: host1: task 0: Exited with exit code 127\n",
            "/usr/bin/env: '/lab/bin/python': No such file or directory",
        ),
        (
            "srun: Terminating StepId=7.1\nsrun: error: host1: task 0: Killed\n",
            "host1: task 0: Killed",
        ),
        ("", "no message"),
    ],
)
def test_the_cause_is_named(said: str, named: str) -> None:
    assert cause(said) == named
