"""A real Slurm on hosts of namespaces: it starts, serves, heals, and leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet.clusters import daemon, processes_of, require_cluster
from runfair.errors import UserMistake
from runfair.fleet.cluster import start, stop
from runfair.fleet.cluster_daemons import SlurmFiles, entered, running_daemons, slurm_of
from runfair.fleet.cluster_state import Declared, Process, cluster_folder, read_state
from runfair.fleet.machines import read_machines
from runfair.paths import REPOSITORY

pytestmark = pytest.mark.long
LIMIT_S = 60.0


@pytest.fixture(autouse=True)
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    require_cluster()
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    yield tmp_path
    stop()
    assert processes_of(tmp_path) == []


def until(true: object, what: str) -> None:
    deadline_s = time.monotonic() + LIMIT_S
    while not true():  # type: ignore[operator]
        assert time.monotonic() < deadline_s, what
        time.sleep(0.1)


def test_hosts_have_names_and_run_steps_together(private: Path) -> None:
    state = start(Declared(hosts=3))
    slurm = slurm_of(state)
    assert sorted(slurm.output("srun", "-N3", "hostname").split()) == ["host1", "host2", "host3"]
    reach = "import socket; print(socket.create_connection(('host3', 6818)).getpeername()[0])"
    reached = slurm.output("srun", "-N1", "-w", "host2", sys.executable, "-c", reach)
    assert reached.strip() == state.host("host3").address
    machines = read_machines(cluster_folder() / "machines.toml")
    assert (machines.partition, machines.roles["service"].hosts) == ("measure", 3)
    services = read_machines(cluster_folder() / "services.toml")
    assert {role: needs.hosts for role, needs in services.roles.items()} == {
        "generator": 1,
        "service": 1,
        "database": 1,
    }
    assert start(Declared(hosts=3)) == state
    with pytest.raises(UserMistake, match=r"with other options is already running; stop it first"):
        start(Declared(hosts=2))
    assert stop()
    assert read_state(cluster_folder()) is None
    assert not cluster_folder().exists()
    assert processes_of(private) == []
    assert not stop()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_each_host_has_processors_of_its_own() -> None:
    state = start(Declared(hosts=2, processors=1))
    assert not state.shared_processors
    read = [sys.executable, "-c", "import os; print(*os.sched_getaffinity(0))"]
    first, second = slurm_of(state).output("srun", "-N2", *read).splitlines()
    assert len(first.split()) == len(second.split()) == 1
    assert first != second


def test_a_job_ends_with_the_cluster(private: Path) -> None:
    state = start(Declared(hosts=1))
    slurm = slurm_of(state)
    slurm.output("sbatch", "--wrap", f"sh -c 'sleep 1000 & sleep 1000' {private}/job")
    until(lambda: any("sleep 1000" in one for one in _inside()), "the job runs")
    stop()
    assert _inside() == []


def _inside() -> list[str]:
    """Command lines of the processes of the test's own job."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = (path / "environ").read_bytes()
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if f"SLURM_CONF={cluster_folder()}".encode() in environment:
            found.append(command)
    return found


def test_killing_the_holder_ends_everything(private: Path) -> None:
    state = start(Declared(hosts=2))
    os.kill(state.holder.pid, signal.SIGKILL)
    until(lambda: read_state(cluster_folder()) is None, "the holder lives")
    until(lambda: processes_of(private) == [], "processes were left behind")
    start(Declared(hosts=2))


@pytest.mark.parametrize(("host", "name"), [("host1", "slurmd"), ("control", "slurmctld")])
def test_a_killed_daemon_is_started_again(host: str, name: str) -> None:
    state = start(Declared(hosts=2))
    os.kill(daemon(state, host, name), signal.SIGKILL)
    until(lambda: name not in running_daemons(state.host(host)), "the daemon lives")
    start(Declared(hosts=2))
    assert name in running_daemons(state.host(host))
    output = slurm_of(state).output("srun", "-N2", "hostname")
    assert sorted(output.split()) == ["host1", "host2"]


def test_an_interrupted_start_leaves_nothing(private: Path) -> None:
    begin = "from runfair.fleet.cluster import *; start(Declared(hosts=3), print)"
    starting = subprocess.Popen(
        [sys.executable, "-u", "-c", begin],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "lab")},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert starting.stdout is not None
    for line in starting.stdout:
        if "Slurm" in line:
            break
    starting.kill()
    starting.wait()
    starting.stdout.close()
    until(lambda: processes_of(private) == [], "processes were left behind")
    assert read_state(cluster_folder()) is None


def test_clocks_are_shifted_as_declared() -> None:
    state = start(Declared(hosts=2, clock_step_ns=10**15))
    now = [sys.executable, "-c", "import time; print(time.monotonic_ns())"]
    shifts = []
    for name in ("host1", "host2"):
        before = time.monotonic_ns()
        command = [*entered(state.host(name), SlurmFiles(cluster_folder())), *now]
        there = int(subprocess.run(command, capture_output=True, check=True).stdout)
        shifts.append(there - before)
    assert [shift // 10**15 for shift in shifts] == [1, 2]


def test_a_link_has_the_declared_rate() -> None:
    state = start(Declared(hosts=1, rate_mbit_per_s=10))
    shown = slurm_of(state).output("srun", "-N1", "tc", "qdisc", "show", "dev", "eth0")
    assert "tbf" in shown
    assert "rate 10Mbit" in shown


# The kernel of another host refuses a connection after one round trip.
ROUND_TRIP = """
import socket, sys, time
best_ns = 10**18
for _ in range(20):
    began_ns = time.monotonic_ns()
    assert socket.socket().connect_ex((sys.argv[1], 9)) == 111
    best_ns = min(best_ns, time.monotonic_ns() - began_ns)
print(best_ns)
"""


def test_packets_are_delayed_as_declared() -> None:
    state = start(Declared(hosts=2, delay_ns=20_000_000))
    files = SlurmFiles(cluster_folder())
    for source, target, delays in (("host1", "host2", 2), ("control", "host1", 1)):
        command = [*entered(state.host(source), files), sys.executable, "-c", ROUND_TRIP, target]
        best_ns = int(subprocess.run(command, capture_output=True, check=True).stdout)
        assert delays * 20_000_000 <= best_ns <= delays * 20_000_000 + 4_000_000
    network = Path(f"/proc/{state.host('host1').holder.pid}/ns/net").readlink()
    assert stop()
    assert network not in {_network(path) for path in Path("/proc").glob("[0-9]*")}


# Measures the clock of a host, as an execution does.
OFFSET = """
import sys
from pathlib import Path
from runfair.formats.place import DeclaredPlace
from runfair.machine.launching import Launcher
from runfair.machine.place import Place, watched
launcher = ["srun", "--nodes=1", f"--nodelist={sys.argv[1]}"]
declared = DeclaredPlace(host=sys.argv[1], launcher=launcher, clock="measured")
with watched(Place("there", declared, Launcher(Path("none"), launcher))) as measured:
    pass
clock = measured.location.clock
print(clock.offset_ns, clock.uncertainty_ns)
"""


def test_a_delay_in_one_direction_widens_the_stated_error_to_half_of_it() -> None:
    """Both hosts have the same clock, so the offset that is found is the error that is made."""
    state = start(Declared(hosts=2, delay_ns=20_000_000, delay_from=1))
    found = {}
    for source, target in (("host1", "host2"), ("host2", "host1")):
        enter = entered(state.host(source), SlurmFiles(cluster_folder()))
        command = [*enter, f"PYTHONPATH={REPOSITORY / 'lab'}", sys.executable, "-c", OFFSET, target]
        output = subprocess.run(command, capture_output=True, check=True).stdout
        offset_ns, error_ns = map(int, output.split())
        assert 10_000_000 <= error_ns <= 12_000_000
        assert abs(offset_ns) <= error_ns
        found[source] = offset_ns
    # The packets of host1 alone are late, so its questions are late, or the answers to host2.
    assert found["host1"] >= 8_000_000
    assert found["host2"] <= -8_000_000


RECEIVED = """
import socket
box = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
box.bind(("", 7777))
box.settimeout(60)
print("ready", flush=True)
count = 0
try:
    while box.recv(1):
        count += 1
        box.settimeout(5)
except TimeoutError:
    print(count)
"""
SENT = """
import socket, sys, time
box = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(2000):
    box.sendto(b".", (sys.argv[1], 7777))
    time.sleep(0.001)
"""


def test_packets_are_lost_as_declared() -> None:
    state = start(Declared(hosts=2, loss=0.1))
    files = SlurmFiles(cluster_folder())
    sender, receiver = (entered(state.host(name), files) for name in ("host1", "host2"))
    receive = [*receiver, sys.executable, "-c", RECEIVED]
    with subprocess.Popen(receive, stdout=subprocess.PIPE, text=True) as receiving:
        assert receiving.stdout is not None
        assert receiving.stdout.readline() == "ready\n"
        subprocess.run([*sender, sys.executable, "-c", SENT, "host2"], check=True)
        arrived = int(receiving.stdout.readline())
    assert 0.05 <= 1 - arrived / 2000 <= 0.15


def _network(process: Path) -> Path | None:
    try:
        return (process / "ns/net").readlink()
    except OSError:
        return None


def test_a_process_is_known_by_its_start() -> None:
    one = subprocess.Popen(["sleep", "100"])
    process = Process.of(one.pid)
    Process(pid=one.pid, started_ticks=process.started_ticks - 1).kill()
    assert one.poll() is None
    process.kill()
    assert one.wait() == -signal.SIGKILL
    assert not process.lives
