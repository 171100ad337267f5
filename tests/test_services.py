"""Services under load, as a run has them: faults told and kept, interruptions."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from laboratory import Lab, default_of, wait_until
from processes import alive, command_line, descendants, processes_with, program_name
from runfair.errors import UserMistake
from runfair.formats.histogram import read_intervals
from runfair.formats.records_file import read_records
from runfair.serving.address import free_port, free_ports
from runfair.serving.postgresql_place import database_place, server_user
from runfair.serving.postgresql_server import find_binaries
from served_experiment import LAB, Serving, faulty, reading, timed

Keep = Callable[[subprocess.Popen[str]], subprocess.Popen[str]]

MS = 1_000_000

# fault: what the record says of it; empty where the execution is completed all the same.
FAULTS = {
    "ends": "the service ended by itself: exit status 1: the configuration is missing",
    "late": "not ready within 2 s (no process listens on ",
    "elsewhere": "not ready within 2 s (no process listens on ",
    "redirects": "GET /hello was answered with status 302 (to /login), but 200 was expected",
    "other-body": "answered by the body b'something else', which differs from the right body",
    "dies": "the service ended by itself: signal 6: the ledger is corrupt",
    "leaks": "the service ended by itself: it exceeded its memory limit",
    "tenth": "",
    "deaf": "",
    "well": "",
}
UNREADY = ("ends", "late", "elsewhere", "redirects", "other-body")


@pytest.fixture
def postgresql() -> None:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))


@pytest.fixture
def databases_left() -> Callable[[], set[Path]]:
    """The folders of private databases that run, or were left, since the test began."""
    folder = database_place(server_user()) / "instances"

    def folders() -> set[Path]:
        return {entry for entry in folder.iterdir() if entry.is_dir()} if folder.is_dir() else set()

    before = folders()
    return lambda: folders() - before


@pytest.fixture
def listening() -> Iterator[int]:
    """A port that somebody has."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_each_fault_is_told_in_one_line_and_the_others_are_measured(
    lab: Lab, serving: Serving
) -> None:
    for fault in FAULTS:
        serving.own(fault, command=faulty(fault), ready_within="2 s")
    serving.serve([fault for fault in FAULTS if fault != "leaks"])
    serving.serve(["leaks"], memory_limit=["150 MiB"])
    done = lab("run", serving.experiment(), "--profile", "smoke", "--json")
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr

    records = {name: executions for name, (*executions,) in serving.records().items()}
    for fault, said in FAULTS.items():
        (one,) = records[fault]
        assert one["outcome"]["state"] == ("failed" if said else "completed"), fault
        assert said in one["outcome"]["reason"], fault
        assert "\n" not in one["outcome"]["reason"]
        # Started by us, so accounted for, however it ended.
        assert one["launch"]["outcome"]["state"] not in ("found_running", "not_started"), fault
        assert one["launch"]["cpu_ns"] > 0, fault
        assert len(one["served"]["loads"]) == (fault not in UNREADY), fault

    for fault in ("dies", "leaks"):
        load = serving.load(records[fault][0]["id"])
        assert load["ended"] == "interrupted"
        assert load["requests"]["good"] >= 20
        assert load["requests"]["failed"] >= 1
        folder = lab.run_folder()
        hlog = folder / "latency" / f"{records[fault][0]['id']}.hlog"
        counted = [one for one in read_intervals(hlog) if one.quantity == "latency"]
        assert sum(one.histogram.total for one in counted) == load["requests"]["good"]
    assert serving.load(records["dies"][0]["id"])["requests"]["good"] <= 50
    tenth = serving.load(records["tenth"][0]["id"])["requests"]
    assert tenth["failed"] == tenth["failures"]["wrong_status"] == tenth["scheduled"] // 10
    assert records["deaf"][0]["served"]["ignored_stop"]
    assert not records["well"][0]["served"]["ignored_stop"]
    assert records["well"][0]["served"]["loads"][0]["good"] == 200

    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}
    for fault, said in FAULTS.items():
        assert cells[fault]["failed"] == (1 if said else 0), fault
        if said:
            assert all(each["value"] is None for each in cells[fault]["figures"].values()), fault
    told = [one["text"] for one in cells["deaf"]["figures"]["p50"]["findings"]]
    assert (
        "in 1 of 1 executions, the service did not exit after the signal SIGTERM, so runfair "
        "killed it"
    ) in told
    # Errors are no fast answers.
    assert cells["tenth"]["figures"]["p99"]["verdict"] == "void"
    assert "errors" in [one["check"] for one in cells["tenth"]["figures"]["p99"]["findings"]]
    # Only the machine causes faults of the service `well`, and the latency still has a bound. If
    # the machine's speed changes, its calibration and the latencies of a constant service show it.
    median = cells["well"]["figures"]["p50"]
    faults = {one["check"] for one in median["findings"] if one["severity"] == "fault"}
    assert faults <= {"calibration", "foreign_time", "generator_delay", "warm_up"}
    assert (median["value"] is None) == (median["verdict"] == "void")
    assert median["verdict"] != "void" or faults
    assert not processes_with(str(lab.scratch))
    assert not processes_with("faulty.py")


def test_a_port_in_use_and_services_that_run_already(
    lab: Lab, serving: Serving, background: Keep, listening: int
) -> None:
    nobody, port = free_ports(2)
    command = [word.replace("{port}", str(port)) for word in timed("--each-ms", "2")]
    found = background(subprocess.Popen(command, text=True))
    wait_until(lambda: _accepts(port), 20)

    serving.own("taken", command=[*timed()], port=listening)
    serving.own("found", url=f"http://127.0.0.1:{port}")
    serving.own("absent", url=f"http://127.0.0.1:{nobody}", ready_within="1 s")
    serving.serve(["taken", "found", "absent"])
    done = lab("run", serving.experiment(), "--profile", "smoke")
    assert done.returncode == 3, done.stderr

    (taken,) = serving.records()["taken"]
    assert f"port {listening} is already in use" in taken["outcome"]["reason"]
    assert taken["launch"]["outcome"]["state"] == "not_started"
    (absent,) = serving.records()["absent"]
    assert "not ready within 1 s" in absent["outcome"]["reason"]
    (one,) = serving.records()["found"]
    assert one["outcome"] == {"state": "completed", "reason": ""}
    assert one["launch"]["outcome"]["state"] == "found_running"
    assert one["served"]["loads"][0]["good"] == 200
    assert one["served"]["start"] is None
    usage = (lab.run_folder() / "raw" / one["id"] / "usage.jsonl").read_text().splitlines()
    cpu_ns = [json.loads(line)["cpu_ns"] for line in usage]
    assert cpu_ns == sorted(cpu_ns)
    assert cpu_ns[-1] > cpu_ns[0]
    assert found.poll() is None  # it is not ours to end


@pytest.mark.alone
def test_several_instances_share_the_load(lab: Lab, serving: Serving, background: Keep) -> None:
    """Two of the user's own, two that run already, and two of ours, each beside a single one."""
    ports = free_ports(2)
    for port in ports:
        command = [word.replace("{port}", str(port)) for word in timed()]
        background(subprocess.Popen(command, text=True))
    wait_until(lambda: all(map(_accepts, ports)), 20)
    serving.own("two", command=timed(), instances=2)
    serving.own("single", command=timed())
    serving.own("found", urls=[f"http://127.0.0.1:{port}" for port in ports])
    serving.serve(["two", "single", "found"], processors=[1])
    ours = default_of("go")
    serving.text += (
        '\n[[serve]]\nbenchmark = "payments"\nworkload = "pay"\nservices = ["net-http"]\n'
        f'variants = ["{ours}"]\nrate = 100\ninstances = [2]\nprocessors = [1]\n'
    )
    done = lab.measured("run", serving.experiment(), "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr

    records = {name: executions for name, (*executions,) in serving.records().items()}
    for name in ("two", "found", ours):
        (record,) = records[name]
        assert record["outcome"] == {"state": "completed", "reason": ""}, name
        load = serving.load(record["id"])
        assert [each["url"] for each in load["targets"]] == record["served"]["address"].split()
        goods = [each["good"] for each in load["targets"]]
        assert len(goods) == 2
        assert min(goods) > 0
        assert sum(goods) == load["requests"]["good"] > 100
    for name in ("two", ours):
        assert records[name][0]["launch"]["processes"] == 2, name
    (single,) = records["single"]
    assert serving.load(single["id"])["targets"] == []
    # What both use is added up: an interpreter's memory twice.
    memory = {name: records[name][0]["launch"]["peak_tree_bytes"] for name in ("two", "single")}
    assert memory["two"] > 1.5 * memory["single"]

    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}
    assert cells["two"]["service"]["instances"] == 2
    assert cells[ours]["factors"]["instances"] == 2
    said = [one["text"] for one in cells["single"]["figures"]["cpu"]["findings"]]
    assert (
        "the compared services have unequal resources: this service has 1 instance, but two has 2"
        in said
    )
    assert not [
        one for one in cells[ours]["figures"]["cpu"]["findings"] if "unequal" in one["text"]
    ]
    text = lab("report", "latest").stdout
    assert "net-http" in text
    assert "2 instances" in text
    assert not processes_with(str(lab.scratch))


def test_mistakes_are_one_line_before_anything_is_measured(lab: Lab, serving: Serving) -> None:
    serving.own("misspelt", command=["pyhton3", "server.py"])
    serving.serve(["misspelt"])
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "[services.misspelt]: the program 'pyhton3' in `command` was not found" in line

    serving.text = ""
    serving.own("well", command=faulty("well"), directory=str(lab.scratch / "nowhere"))
    serving.serve(["well"])
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "nowhere, which is not a folder" in line

    serving.text = ""
    serving.own("well", command=faulty("well"))
    serving.serve(["wel"])
    assert "'wel'" in lab.refuses("run", serving.experiment(), "--profile", "smoke")

    serving.text = ""
    serving.own("well", command=faulty("well"))
    serving.serve(["well"], traffic=str(lab.scratch / "nothing.jsonl"))
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "nothing.jsonl: this traffic file does not exist" in line
    assert not lab.results.exists()


def test_a_database_that_is_missing_or_refuses_is_one_line(lab: Lab, serving: Serving) -> None:
    empty = lab.scratch / "empty"
    empty.mkdir()
    lab.environment["RUNFAIR_POSTGRESQL"] = str(empty)
    _with_database(serving, benchmark="payments", workload="order")
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "RUNFAIR_POSTGRESQL names" in line
    assert "contains no working postgres and initdb" in line
    assert not processes_with("reading.py")

    serving.text = ""
    _with_database(serving, database="postgresql://somebody@127.0.0.1:1/shop")
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "the database at 127.0.0.1:1 cannot be reached" in line


@pytest.mark.usefixtures("postgresql")
@pytest.mark.alone
def test_a_database_lost_in_mid_run_is_told_and_the_next_execution_has_another(
    lab: Lab, serving: Serving, background: Keep, databases_left: Callable[[], set[Path]]
) -> None:
    _with_database(serving, benchmark="payments", workload="order", rate=40)
    process = background(
        lab.start("run", serving.experiment(load_seconds=4, executions=2), "--profile", "smoke")
    )
    wait_until(lambda: _looks(lab) >= 3)
    (postmaster,) = _postmasters(process.pid)
    os.kill(postmaster, signal.SIGKILL)
    _, err = process.communicate(timeout=240)
    # The executions completed; so many requests of the first failed that no percentile is left.
    assert process.returncode == 3, err
    assert "Traceback" not in err
    (cell,) = json.loads(lab("report", "latest", "--json").stdout)["cells"]
    assert cell["failed"] == 0
    p99 = cell["figures"]["p99"]
    assert p99["verdict"] == "void"
    assert "errors" in [one["check"] for one in p99["findings"] if one["severity"] == "fault"]
    first, second = serving.records()["reading"]
    assert first["served"]["database_restarted"]
    assert first["served"]["loads"][0]["good"] >= 10
    assert first["served"]["loads"][0]["failed"] >= 10
    assert not second["served"]["database_restarted"]
    assert second["outcome"]["state"] == "completed"
    assert second["served"]["loads"][0]["good"] >= 150
    for one in (first, second):
        raw = lab.run_folder() / "raw" / one["id"]
        assert json.loads((raw / "relay.json").read_text())
        assert one["served"]["database"]
    assert not databases_left()


def test_a_database_that_is_gone_ends_the_run_where_it_was(
    lab: Lab, serving: Serving, background: Keep
) -> None:
    """Whatever speaks TCP is a database; this one accepts, and is asked for nothing more."""
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        serving.own("apart", command=timed())
        serving.serve(["apart"], database=f"tcp://127.0.0.1:{port}")
        process = background(
            lab.start("run", serving.experiment(executions=2), "--profile", "smoke")
        )
        wait_until(lambda: _under_load(lab))
    _, err = process.communicate(timeout=240)
    assert process.returncode == 2, err
    assert f"the database at 127.0.0.1:{port} cannot be reached (Connection refused); start" in err
    assert (
        "1 of 2 executions are measured and stored; to complete the run, use ./runfair resume"
    ) in err
    (one,) = serving.records()["apart"]
    assert one["outcome"]["state"] == "completed"
    assert one["served"]["database"] == "plain TCP"
    assert json.loads((lab.run_folder() / "raw" / one["id"] / "relay.json").read_text())

    with socket.create_server(("127.0.0.1", port)):
        done = lab.measured("resume", "latest", "--json")
    assert json.loads(done.stdout)["complete"]


def test_ctrl_c_in_mid_load_keeps_whole_files_and_resumes(
    lab: Lab, serving: Serving, background: Keep
) -> None:
    serving.own("slow", command=timed("--each-ms", "5"))
    serving.serve(["slow"])
    process = background(
        lab.start("run", serving.experiment(load_seconds=8, executions=2), "--profile", "smoke")
    )
    wait_until(lambda: _looks(lab) >= 3)
    children = descendants(process.pid)
    assert len(children) >= 3  # the generator, the launcher and the service
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "./runfair resume" in err
    assert "Traceback" not in err
    wait_until(lambda: not alive(children), 20)

    assert not (lab.run_folder() / "executions.jsonl").exists()
    load = serving.load("00001.1")
    assert load["ended"] == "interrupted"
    assert 50 <= load["requests"]["good"] <= 800
    records = lab.run_folder() / "raw" / "00001.1" / "operating-point.records"
    assert len(read_records(records).rows) == load["requests"]["scheduled"]

    done = lab.measured("resume", "latest", "--json")
    assert json.loads(done.stdout)["complete"]
    assert [one["id"] for one in serving.records()["slow"]] == ["00001.2", "00002.1"]
    assert serving.load("00001.1") == load


@pytest.mark.usefixtures("postgresql")
@pytest.mark.alone
def test_a_killed_lab_leaves_no_process_and_the_next_start_no_database(
    lab: Lab, serving: Serving, background: Keep, databases_left: Callable[[], set[Path]]
) -> None:
    _with_database(serving, benchmark="payments", workload="order", rate=40)
    process = background(lab.start("run", serving.experiment(load_seconds=4), "--profile", "smoke"))
    wait_until(lambda: _looks(lab) >= 3)
    children = descendants(process.pid)
    names = {program_name(pid) for pid in children}
    assert {"runfair-load", "runfair-relay", "postgres"} <= names
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not alive(children), 30)
    assert not processes_with("reading.py")
    assert databases_left()

    done = lab.measured("resume", "latest", "--json")
    assert json.loads(done.stdout)["complete"]
    (one,) = serving.records()["reading"]
    assert one["id"] == "00001.2"
    assert one["outcome"]["state"] == "completed"
    assert not databases_left()


def _with_database(serving: Serving, **keys: object) -> None:
    serving.own("reading", command=reading(), environment={"PYTHONPATH": str(LAB)})
    serving.serve(["reading"], **keys)


def _under_load(lab: Lab) -> bool:
    return bool(list(lab.results.glob("*/raw/*/operating-point.records")))


def _looks(lab: Lab) -> int:
    """How often the lab has looked at the service under load: twice in each second."""
    files = lab.results.glob("*/raw/*/usage.jsonl")
    return sum(file.read_text().count('"of":"service"') for file in files)


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _postmasters(lab: int) -> list[int]:
    """Of the lab's private databases."""
    return [
        pid
        for pid in descendants(lab)
        if program_name(pid) == "postgres" and command_line(pid).startswith("/")
    ]
