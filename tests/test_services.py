"""Services under load, as a run has them: faults told and kept, interruptions, known latencies."""

from __future__ import annotations

import json
import os
import signal
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from laboratory import Lab, default_of, wait_until
from runfair.errors import UserMistake
from runfair.formats.event import read_events
from runfair.formats.interval_log import read_intervals
from runfair.formats.load_records import read_records
from runfair.paths import SCHEMAS
from runfair.serving.postgresql_binaries import find_binaries
from runfair.serving.postgresql_place import database_place
from runfair.serving.postgresql_user import server_user
from served_experiment import LAB, Serving, faulty, reading, spending, timed

Keep = Callable[[subprocess.Popen[str]], subprocess.Popen[str]]

MS = 1_000_000

# fault: what the record says of it; empty where the execution is completed all the same.
FAULTS = {
    "ends": "the service ended by itself: exit status 1: the configuration is missing",
    "late": "not ready within 2 s: nobody listens on ",
    "elsewhere": "not ready within 2 s: nobody listens on ",
    "redirects": "GET /hello was answered 302 (to /login), expected 200",
    "other-body": "another body than the canonical one: b'something else'",
    "dies": "the service ended by itself: signal 6: the ledger is corrupt",
    "leaks": "the service ended by itself: it took more memory than it was given",
    "tenth": "",
    "deaf": "",
    "well": "",
}
UNREADY = ("ends", "late", "elsewhere", "redirects", "other-body")


@pytest.fixture
def serving(lab: Lab) -> Serving:
    return Serving(lab)


@pytest.fixture
def postgresql() -> None:
    try:
        find_binaries()
    except UserMistake as missing:
        pytest.skip(str(missing))


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that says what it hears."""

    class Echo(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            while heard := self.request.recv(4096):
                self.request.sendall(heard)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        answering = threading.Thread(target=server.serve_forever, daemon=True)
        answering.start()
        yield server.server_address[1]
        server.shutdown()
        answering.join()


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
    assert "asked to end by SIGTERM, it did not, and was killed in 1 of 1 executions" in told
    # Errors are no fast answers.
    assert cells["tenth"]["figures"]["p99"]["verdict"] == "void"
    assert "errors" in [one["check"] for one in cells["tenth"]["figures"]["p99"]["findings"]]
    # One that is well has its median, unless the machine itself voids it.
    median = cells["well"]["figures"]["p50"]
    faults = {one["check"] for one in median["findings"] if one["severity"] == "fault"}
    assert faults <= {"foreign_time", "generator_delay"}
    assert (median["value"] is None) == bool(faults)
    assert not _left(str(lab.scratch))
    assert not _left("faulty.py")


def test_a_port_in_use_and_services_that_run_already(
    lab: Lab, serving: Serving, background: Keep, listening: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        nobody = closing.getsockname()[1]
    with socket.create_server(("127.0.0.1", 0)) as closing:
        port = closing.getsockname()[1]
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
    assert f"port {listening} is in use already" in taken["outcome"]["reason"]
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


def test_several_instances_share_the_load(lab: Lab, serving: Serving, background: Keep) -> None:
    """Two of the user's own, two that run already, and two of ours, each beside a single one."""
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as other,
    ):
        ports = [listener.getsockname()[1] for listener in (one, other)]
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
    done = lab("run", serving.experiment(), "--profile", "smoke", "--json")
    assert done.returncode in (0, 3), done.stderr
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
    assert "unequal resources: 1 instance, but 2 of two" in said
    assert not [
        one for one in cells[ours]["figures"]["cpu"]["findings"] if "unequal" in one["text"]
    ]
    text = lab("report", "latest").stdout
    assert "net-http" in text
    assert "2 instances" in text
    assert not _left(str(lab.scratch))


def test_mistakes_are_one_line_before_anything_is_measured(lab: Lab, serving: Serving) -> None:
    serving.own("misspelt", command=["pyhton3", "server.py"])
    serving.serve(["misspelt"])
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "[services.misspelt]: command: 'pyhton3' is no program that can be started" in line

    serving.text = ""
    serving.own("well", command=faulty("well"), directory=str(lab.scratch / "nowhere"))
    serving.serve(["well"])
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "nowhere is no folder" in line

    serving.text = ""
    serving.own("well", command=faulty("well"))
    serving.serve(["wel"])
    assert "'wel'" in lab.refuses("run", serving.experiment(), "--profile", "smoke")

    serving.text = ""
    serving.own("well", command=faulty("well"))
    serving.serve(["well"], traffic=str(lab.scratch / "nothing.jsonl"))
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "nothing.jsonl: no such traffic file" in line
    assert not lab.results.exists()


def test_a_database_that_is_missing_or_refuses_is_one_line(lab: Lab, serving: Serving) -> None:
    empty = lab.scratch / "empty"
    empty.mkdir()
    lab.environment["RUNFAIR_POSTGRESQL"] = str(empty)
    _with_database(serving, benchmark="payments", workload="order")
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "RUNFAIR_POSTGRESQL names" in line
    assert "no working postgres and initdb are" in line
    assert not _left("reading.py")

    serving.text = ""
    _with_database(serving, database="postgresql://somebody@127.0.0.1:1/shop")
    line = lab.refuses("run", serving.experiment(), "--profile", "smoke")
    assert "the database at 127.0.0.1:1 cannot be reached" in line


@pytest.mark.usefixtures("postgresql")
def test_a_database_lost_in_mid_run_is_told_and_the_next_execution_has_another(
    lab: Lab, serving: Serving, background: Keep
) -> None:
    _with_database(serving, benchmark="payments", workload="order", rate=40)
    process = background(
        lab.start("run", serving.experiment(load_seconds=4, executions=2), "--profile", "smoke")
    )
    wait_until(lambda: _under_load(lab))
    time.sleep(1.0)
    (postmaster,) = _postmasters(process.pid)
    os.kill(postmaster, signal.SIGKILL)
    _, err = process.communicate(timeout=240)
    # Nothing failed but requests; what that makes of the figures is the verdict's to say.
    assert process.returncode in (0, 3), err
    assert "Traceback" not in err
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
    assert not _instances()


def test_a_database_that_is_gone_ends_the_run_where_it_was(
    lab: Lab, serving: Serving, background: Keep
) -> None:
    """Whatever speaks TCP is a database; this one accepts, and is asked for nothing more."""
    with socket.create_server(("127.0.0.1", 0)) as database:
        port = database.getsockname()[1]
        serving.own("apart", command=timed())
        serving.serve(["apart"], database=f"tcp://127.0.0.1:{port}")
        process = background(
            lab.start("run", serving.experiment(executions=2), "--profile", "smoke")
        )
        wait_until(lambda: _under_load(lab))
    _, err = process.communicate(timeout=240)
    assert process.returncode == 2, err
    assert f"the database at 127.0.0.1:{port} cannot be reached (Connection refused): start" in err
    assert "measured and kept: 1 of 2 executions; ./runfair resume" in err
    (one,) = serving.records()["apart"]
    assert one["outcome"]["state"] == "completed"
    assert one["served"]["database"] == "plain TCP"
    assert json.loads((lab.run_folder() / "raw" / one["id"] / "relay.json").read_text())

    with socket.create_server(("127.0.0.1", port)):
        done = lab("resume", "latest", "--json")
    assert done.returncode in (0, 3), done.stderr
    assert json.loads(done.stdout)["complete"]


def test_ctrl_c_in_mid_load_keeps_whole_files_and_resumes(
    lab: Lab, serving: Serving, background: Keep
) -> None:
    serving.own("slow", command=timed("--each-ms", "5"))
    serving.serve(["slow"])
    process = background(
        lab.start("run", serving.experiment(load_seconds=8, executions=2), "--profile", "smoke")
    )
    wait_until(lambda: _under_load(lab))
    time.sleep(1.5)
    children = _descendants(process.pid)
    assert len(children) >= 3  # the generator, the launcher and the service
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "./runfair resume" in err
    assert "Traceback" not in err
    wait_until(lambda: not _alive(children), 20)

    assert not (lab.run_folder() / "executions.jsonl").exists()
    load = serving.load("00001.1")
    assert load["ended"] == "interrupted"
    assert 50 <= load["requests"]["good"] <= 800
    records = lab.run_folder() / "raw" / "00001.1" / "operating-point.records"
    assert len(read_records(records).rows) == load["requests"]["scheduled"]

    done = lab("resume", "latest", "--json")
    assert done.returncode in (0, 3), done.stderr
    assert json.loads(done.stdout)["complete"]
    assert [one["id"] for one in serving.records()["slow"]] == ["00001.2", "00002.1"]
    assert serving.load("00001.1") == load


@pytest.mark.usefixtures("postgresql")
def test_a_killed_lab_leaves_no_process_and_the_next_start_no_database(
    lab: Lab, serving: Serving, background: Keep
) -> None:
    _with_database(serving, benchmark="payments", workload="order", rate=40)
    process = background(lab.start("run", serving.experiment(load_seconds=4), "--profile", "smoke"))
    wait_until(lambda: _under_load(lab))
    time.sleep(1.0)
    children = _descendants(process.pid)
    names = {_name(pid) for pid in children}
    assert {"runfair-load", "runfair-relay", "postgres"} <= names
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not _alive(children), 30)
    assert not _left("reading.py")
    assert _instances()

    done = lab("resume", "latest", "--json")
    assert done.returncode in (0, 3), done.stderr
    assert json.loads(done.stdout)["complete"]
    (one,) = serving.records()["reading"]
    assert one["id"] == "00001.2"
    assert one["outcome"]["state"] == "completed"
    assert not _instances()


def test_where_the_time_of_two_services_goes_is_told_of_each(
    lab: Lab, serving: Serving, echo: int
) -> None:
    """One computes for 5 ms, the other waits for a database 50 ms away: the opposite accounts. What
    that decides a smoke run, flagged by design, cannot tell."""
    for on in ("computing", "asking"):
        serving.own(on, command=spending(on), environment={"DATABASE_PORT": "{database_port}"})
    serving.serve(
        ["computing", "asking"],
        rate=20,
        connections=10,
        objective="p50 < 300 ms",
        database=f"tcp://127.0.0.1:{echo}",
        round_trip="50 ms",
    )
    done = lab("run", serving.experiment(load_seconds=4), "--profile", "smoke", "--json")
    assert done.returncode in (0, 3), done.stderr
    cells = {one["variant"]: one for one in json.loads(done.stdout)["cells"]}

    shown = lab("decide", "latest")
    assert shown.returncode == 0, shown.stderr
    assert "at 20/s, objective p50 < 300 ms, round trip to the database 50 ms" in shown.stdout
    assert "Cannot be told: " in shown.stdout
    (answer,) = answers = json.loads(lab("decide", "latest", "--json").stdout)
    schema = json.loads((SCHEMAS / "decision.schema.json").read_text())
    Draft202012Validator(schema).validate(answers)
    parts = {one["service"]: one["parts_ns"] for one in answer["services"]}
    assert set(parts) == {"computing", "asking"}
    if parts["computing"] is not None:  # unless the machine itself voids it
        assert parts["computing"]["own CPU"] >= 4 * MS
        assert parts["computing"]["database"] == 0
    if parts["asking"] is not None:
        assert parts["asking"]["database"] >= 50 * MS
        assert parts["asking"]["own CPU"] < parts["asking"]["database"] / 4
        relay = cells["asking"]["service"]["relay"]
        assert relay["round_trip_ns"] == 50 * MS
        assert 0.9 < relay["queries_per_request"] < 1.1
        assert relay["cpu_per_query_ns"] > 0
    swapped = lab("decide", "latest", "--baseline", "asking", "--json")
    assert [one["service"] for one in json.loads(swapped.stdout)[0]["candidates"]] == ["computing"]


def test_percentiles_that_are_known_by_construction(lab: Lab, serving: Serving) -> None:
    """The machine may add to a latency and never takes from it: what is below is wrong, what is
    above may have a wide margin. At 100 requests a second without queues:

    constant  every request takes 20 ms
    bimodal   every tenth 60 ms, the others 10 ms: p50 is of these, p99 of those
    pauses    80 ms in each second stand still: of 8% of the requests, the one that came t after
              the pause began takes 82 ms - t. p90 knows nothing of it. The first that meets a pause
              comes within 10 ms, always as late: five take at least 72 ms, and the sixth from the
              top, which is the p99 of 500, 10 ms less.
    """
    serving.own("constant", command=timed("--each-ms", "20"))
    serving.own(
        "bimodal", command=timed("--each-ms", "10", "--slow-ms", "60", "--slow-every", "10")
    )
    serving.own("pauses", command=timed("--each-ms", "2", "--pause-ms", "80"))
    serving.serve(["constant", "bimodal", "pauses"], connections=20)
    done = lab("run", serving.experiment(load_seconds=5), "--profile", "smoke")
    assert done.returncode in (0, 3), done.stderr
    seen = {}
    for name, (one,) in serving.records().items():
        assert one["outcome"]["state"] == "completed", one["outcome"]
        latency = serving.load(one["id"])["latency_ns"]
        assert latency["count"] == 500
        seen[name] = {key: latency[key] for key in ("p50", "p90", "p99", "max")}
        # CPython told of its collections, on the clock of the load.
        assert one["served"]["events"] is not None
        list(read_events(lab.run_folder() / "events" / f"{one['id']}.jsonl"))
    constant, bimodal, pauses = seen["constant"], seen["bimodal"], seen["pauses"]
    assert 20 * MS <= constant["p50"] < 24 * MS
    assert 20 * MS <= constant["p90"] < 40 * MS
    assert 10 * MS <= bimodal["p50"] < 14 * MS
    assert bimodal["p99"] >= 60 * MS
    assert 2 * MS <= pauses["p50"] < 10 * MS
    assert pauses["p99"] >= 62 * MS
    assert pauses["max"] >= 72 * MS
    assert bimodal["p50"] < constant["p50"] < bimodal["p99"]
    assert pauses["p50"] * 5 < pauses["p99"]


@pytest.mark.long
def test_a_known_capacity_is_found_and_the_curve_bends_before_it(
    lab: Lab, serving: Serving
) -> None:
    """One worker at 5 ms a request: 200 a second and no more."""
    serving.own("worker", command=timed("--each-ms", "5", "--one-worker"))
    serving.serve(
        ["worker"],
        rate=100,
        objective="p50 < 40 ms",
        curve=[25, 100, 150, 400],
        capacity=True,
        timeout="2 s",
        connections=40,
    )
    done = lab(
        "run", serving.experiment(load_seconds=4, probe_seconds=2), "--profile", "smoke", "--json"
    )
    assert done.returncode in (0, 3), done.stderr
    (one,) = serving.records()["worker"]
    assert one["outcome"]["state"] == "completed", one["outcome"]
    found = one["served"]["capacity"]
    assert found["observations"] >= 6
    assert found["highest_met_per_s"] >= 150
    assert found["lowest_missed_per_s"] <= 250
    assert found["highest_met_per_s"] < found["lowest_missed_per_s"]

    loads = {
        each["rate_per_s"]: each for each in one["served"]["loads"] if each["purpose"] == "curve"
    }
    assert list(loads) == [25, 100, 150, 400]
    p50_ns = {
        rate: serving.load(one["id"], each["name"])["latency_ns"]["p50"]
        for rate, each in loads.items()
    }
    assert all(p50_ns[rate] >= 5 * MS for rate in loads)
    assert p50_ns[400] > 10 * p50_ns[25]
    (cell,) = json.loads(done.stdout)["cells"]
    points = {point["rate_per_s"]: point["meets"] for point in cell["service"]["curve"]}
    assert points[400] == "no"


def _with_database(serving: Serving, **keys: object) -> None:
    serving.own("reading", command=reading(), environment={"PYTHONPATH": str(LAB)})
    serving.serve(["reading"], **keys)


def _under_load(lab: Lab) -> bool:
    return bool(list(lab.results.glob("*/raw/*/operating-point.records")))


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _instances() -> list[Path]:
    """The folders of private databases that run, or were left."""
    folder = database_place(server_user()) / "instances"
    return [entry for entry in folder.iterdir() if entry.is_dir()] if folder.is_dir() else []


def _left(argument: str) -> list[int]:
    """Processes with this text in a word of their command line."""
    return [pid for pid in _numbers() if pid != os.getpid() and argument in _command_line(pid)]


def _postmasters(lab: int) -> list[int]:
    """Of the lab's private databases."""
    return [
        pid
        for pid in _descendants(lab)
        if _name(pid) == "postgres" and _command_line(pid).startswith("/")
    ]


def _alive(pids: set[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}/cmdline").exists() and _command_line(pid)]


def _descendants(pid: int) -> set[int]:
    parents = {child: _parent(child) for child in _numbers()}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def _numbers() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int:
    stat = _told(pid, "stat")
    return int(stat.rpartition(")")[2].split()[1]) if stat else 0


def _name(pid: int) -> str:
    return _told(pid, "comm").strip()


def _command_line(pid: int) -> str:
    return _told(pid, "cmdline").replace("\0", " ")


def _told(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""
