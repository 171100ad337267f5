"""Memory limits and CPU quotas: by the kernel's cgroups, and without them."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from launcher.conftest import Launcher, python

MIB = 1 << 20
GROUPS = Path("/sys/fs/cgroup")

ALLOCATE = """
import sys, time
held = []
for _ in range(int(sys.argv[1])):
    held.append(bytearray(b"x") * (1 << 20))
    time.sleep(0.002)
time.sleep(float(sys.argv[2]))
"""


def has_writable_group(controller: str) -> bool:
    first = GROUPS / controller
    second = GROUPS / "cgroup.controllers"
    if first.is_dir():
        return os.access(first, os.W_OK)
    return (
        second.exists() and controller in second.read_text().split() and os.access(GROUPS, os.W_OK)
    )


def name_of(launcher: int | str, namespace: int | None = None) -> str:
    """The name of a launcher's group. A PID is unique only in its namespace."""
    return f"runfair-{namespace or Path('/proc/self/ns/pid').stat().st_ino}-{launcher}"


def remaining_groups(launcher: Launcher) -> list[Path]:
    """Groups of the launchers of this test. Those of others may be at work beside it."""
    names = {name_of(process.pid) for process in launcher.started}
    groups = (Path(folder) for folder, _, _ in os.walk(GROUPS))
    return [group for group in groups if group.name in names]


needs_memory_group = pytest.mark.skipif(
    not has_writable_group("memory"), reason="no writable cgroup with the memory controller"
)
needs_cpu_group = pytest.mark.skipif(
    not has_writable_group("cpu"), reason="no writable cgroup with the cpu controller"
)


@needs_memory_group
def test_memory_limit_by_a_group(launcher: Launcher) -> None:
    report = launcher.run(python(ALLOCATE, "300", "0"), "--memory-limit", str(100 * MIB))
    assert report["outcome"]["state"] == "memory_exceeded"
    assert report["memory_limit_method"] in ("cgroup_v1", "cgroup_v2")
    assert 50 * MIB < report["peak_rss_bytes"] <= 110 * MIB
    assert remaining_groups(launcher) == []


@needs_memory_group
def test_memory_limit_by_a_group_covers_children(launcher: Launcher) -> None:
    # The program would survive the death of its child; the limit is the tree's.
    code = f"""
import os, sys, time
if os.fork() == 0:
    exec({ALLOCATE!r})
    os._exit(0)
os.wait()
time.sleep(60)
"""
    report = launcher.run(python(code, "300", "0"), "--memory-limit", str(100 * MIB))
    assert report["outcome"]["state"] == "memory_exceeded"
    assert report["wall_ns"] < 50_000_000_000


@needs_memory_group
def test_a_program_within_its_limit_is_left_alone(launcher: Launcher) -> None:
    report = launcher.run(python(ALLOCATE, "50", "0"), "--memory-limit", str(200 * MIB))
    assert (report["outcome"]["state"], report["outcome"]["exit_status"]) == ("exited", 0)
    assert remaining_groups(launcher) == []


def test_memory_limit_by_watching(launcher: Launcher, tmp_path: Path) -> None:
    options = ("--cgroup-root", str(tmp_path), "--memory-limit", str(100 * MIB))
    report = launcher.run(python(ALLOCATE, "200", "60"), *options, "--sample-ms", "20")
    assert report["outcome"]["state"] == "memory_exceeded"
    assert report["memory_limit_method"] == "watched"
    assert report["outcome"]["signal"] == 9
    assert report["wall_ns"] < 50_000_000_000

    within = launcher.run(python(ALLOCATE, "50", "0"), *options)
    assert within["outcome"]["state"] == "exited"


def test_watching_counts_shared_pages_once(launcher: Launcher, tmp_path: Path) -> None:
    # Four processes that share 60 MiB: resident sizes add up to 240, but 60 are in use.
    code = """
import os, time
held = bytearray(b"x") * (60 << 20)
for _ in range(3):
    if os.fork() == 0:
        time.sleep(2)
        os._exit(0)
for _ in range(3):
    os.wait()
"""
    options = ("--cgroup-root", str(tmp_path), "--memory-limit", str(150 * MIB))
    report = launcher.run(python(code), *options, "--sample-ms", "20")
    assert report["processes"] == 4
    assert (report["outcome"]["state"], report["outcome"]["exit_status"]) == ("exited", 0)


def test_a_limit_passed_between_two_samples_is_noticed(launcher: Launcher, tmp_path: Path) -> None:
    options = ("--cgroup-root", str(tmp_path), "--memory-limit", str(100 * MIB))
    code = 'held = bytearray(b"x") * (200 << 20)'
    report = launcher.run(python(code), *options, "--sample-ms", "60000")
    assert (report["outcome"]["state"], report["outcome"]["exit_status"]) == ("memory_exceeded", 0)


# On a busy machine, a program has a fraction of a processor anyway. The quota is smaller than this
# fraction, so that it is the quota that stops the program.
QUOTA = "0.05"
BURN_WALL = """
import time
until = time.monotonic() + 1.2
while time.monotonic() < until:
    pass
"""


@needs_cpu_group
def test_cpu_quota(launcher: Launcher) -> None:
    report = launcher.run(python(BURN_WALL), "--cpu-quota", QUOTA)
    assert report["outcome"]["exit_status"] == 0
    assert report["throttled_periods"] >= 3
    assert report["nr_periods"] >= report["throttled_periods"]
    assert report["throttled_ns"] > 0
    assert report["cpu_ns"] < 0.2 * report["wall_ns"]
    assert remaining_groups(launcher) == []

    free = launcher.run(["/bin/true"])
    assert free["throttled_ns"] is free["throttled_periods"] is free["nr_periods"] is None


@needs_cpu_group
def test_a_quota_below_a_named_root_holds_and_is_accounted(launcher: Launcher) -> None:
    """The group that counts CPU time is never a second group of the quota's hierarchy."""
    options = ("--cgroup-root", str(GROUPS), "--cpu-quota", QUOTA)
    report = launcher.run(python(BURN_WALL), *options)
    assert report["outcome"]["exit_status"] == 0
    assert report["throttled_periods"] >= 3
    assert report["cpu_ns"] < 0.2 * report["wall_ns"]
    assert report["uncounted_ns"] is not None
    assert remaining_groups(launcher) == []


@needs_cpu_group
def test_a_quota_holds_in_a_hierarchy_that_also_counts(launcher: Launcher, tmp_path: Path) -> None:
    """As where version 1 has `cpu` and `cpuacct` in one hierarchy."""
    if not (GROUPS / "cpu").is_dir():
        pytest.skip("version 2 has one hierarchy anyway")
    limited = GROUPS / "cpu" / f"limited-{os.getpid()}"
    limited.mkdir()
    try:
        (tmp_path / "cpu").symlink_to(limited)
        (tmp_path / "cpuacct").symlink_to(GROUPS / "cpu")
        options = ("--cgroup-root", str(tmp_path), "--cpu-quota", QUOTA)
        assert launcher.run(python(BURN_WALL), *options)["throttled_periods"] >= 3
    finally:
        limited.rmdir()


@needs_memory_group
def test_a_memory_limit_below_a_named_root_holds(launcher: Launcher) -> None:
    options = ("--cgroup-root", str(GROUPS), "--memory-limit", str(100 * MIB))
    report = launcher.run(python(ALLOCATE, "300", "0"), *options)
    assert report["outcome"]["state"] == "memory_exceeded"
    assert report["memory_limit_method"] in ("cgroup_v1", "cgroup_v2")


@contextmanager
def group_below_a_quota() -> Iterator[Path]:
    """A version 1 group without a quota, in a group that may use a twentieth of a processor."""
    outer = GROUPS / "cpu" / f"quota-{os.getpid()}"
    inner = outer / "inner"
    inner.mkdir(parents=True)
    try:
        (outer / "cpu.cfs_quota_us").write_text("5000")
        yield inner
    finally:
        inner.rmdir()
        outer.rmdir()


@needs_cpu_group
def test_the_quota_of_an_ancestor_is_noticed(launcher: Launcher) -> None:
    if not (GROUPS / "cpu").is_dir():
        pytest.skip("in version 2, a group with members cannot pass on its controllers")
    with group_below_a_quota() as group:
        join = f"echo $$ > {group}/cgroup.procs && exec " + '"$@"'
        command = ["sh", "-c", join, "sh", *launcher.command((), python(BURN_WALL))]
        subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
    assert launcher.read_report()["ambient_throttled_ns"] > 0
    assert launcher.run(["/bin/true"])["ambient_throttled_ns"] == 0


def test_a_quota_that_cannot_be_had_starts_nothing(launcher: Launcher, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    options = ("--cgroup-root", str(tmp_path), "--cpu-quota", "0.5")
    report = launcher.run(["/bin/touch", str(mark)], *options)
    assert report["outcome"]["state"] == "not_started"
    assert "CPU quota" in report["outcome"]["error"]
    assert not mark.exists()


def can_mount() -> bool:
    """Whether this process may hide files of the kernel. Not every root may, as in a container."""
    tried = ["unshare", "--mount", "mount", "--bind", "/proc/version", "/proc/version"]
    with suppress(FileNotFoundError):
        return subprocess.run(tried, capture_output=True, check=False).returncode == 0
    return False


needs_mounts = pytest.mark.skipif(not can_mount(), reason="the kernel's files cannot be hidden")


def run_in_version_2(groups: Path, tmp_path: Path, command: list[str]) -> None:
    """Runs a command that finds itself in user.slice/session.scope of a version 2 hierarchy."""
    mounts, own = tmp_path / "mountinfo", tmp_path / "cgroup"
    mounts.write_text(f"36 35 0:1 / {groups} rw - cgroup2 cgroup2 rw\n")
    own.write_text("0::/user.slice/session.scope\n")
    hide = 'mount --bind "$1" /proc/$$/mountinfo && mount --bind "$2" /proc/$$/cgroup && shift 2'
    subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{hide} && exec "$@"', "sh", mounts, own, *command],
        stdin=subprocess.DEVNULL,
        check=True,
    )


@needs_mounts
@pytest.mark.parametrize("throttled", ["user.slice/session.scope", "user.slice"])
def test_in_version_2_the_quota_of_each_ancestor_is_noticed(
    throttled: str, launcher: Launcher, tmp_path: Path
) -> None:
    """As on a cluster whose scheduler gives a job a quota and runs its steps in groups below. The
    measured program writes what the kernel would."""
    groups, counts = tmp_path / "groups", "nr_periods 9\nnr_throttled 9\nthrottled_usec "
    (groups / "user.slice" / "session.scope").mkdir(parents=True)
    for folder in ("user.slice", "user.slice/session.scope"):
        (groups / folder / "cpu.stat").write_text(f"{counts}1\n")
    program = ["sh", "-c", f"echo '{counts}8' >{groups}/{throttled}/cpu.stat"]
    run_in_version_2(groups, tmp_path, launcher.command((), program))
    assert launcher.read_report()["ambient_throttled_ns"] == 7000


@needs_mounts
@pytest.mark.parametrize(("giving", "below"), [("user.slice", "user.slice"), (".", ""), (None, "")])
def test_in_version_2_a_group_above_gives_the_controller(
    giving: str | None, below: str, launcher: Launcher, tmp_path: Path
) -> None:
    """The launcher's own group has processes, so it cannot."""
    groups = tmp_path / "groups"
    (groups / "user.slice" / "session.scope").mkdir(parents=True)
    for folder in (groups, groups / "user.slice", groups / "user.slice" / "session.scope"):
        (folder / "cgroup.controllers").write_text("cpu memory\n")
        (folder / "cgroup.subtree_control").write_text("memory\n")
    if giving is not None:
        (groups / giving / "cgroup.subtree_control").write_text("cpu memory\n")
    command = launcher.command(("--cpu-quota", "0.5"), ["/bin/true"])
    run_in_version_2(groups, tmp_path, command)
    # These folders only look like cgroups, so the new group has no file of members.
    error = launcher.read_report()["outcome"]["error"]
    assert f"cannot write {groups / below}/runfair-" in error


@needs_cpu_group
def test_groups_of_dead_launchers_are_removed(launcher: Launcher) -> None:
    """A launcher of another PID namespace may still run, although no process here has its number.
    Its group may be empty because its program has just ended."""
    if not (GROUPS / "cpu").is_dir():
        pytest.skip("the folder of the stale group is only known for version 1")
    beyond_any_pid = 2**22 + 1
    stale = GROUPS / "cpu" / name_of(beyond_any_pid)
    left_yesterday = GROUPS / "cpu" / name_of(beyond_any_pid, namespace=1)
    elsewhere = GROUPS / "cpu" / name_of(beyond_any_pid + 1, namespace=1)
    living = GROUPS / "cpu" / name_of(os.getpid())
    ages_s = {stale: 0, left_yesterday: 25 * 3600, elsewhere: 3600, living: 25 * 3600}
    for group, age_s in ages_s.items():
        group.mkdir()
        os.utime(group, (time.time() - age_s,) * 2)
    try:
        options = ("--cgroup-root", str(GROUPS), "--cpu-quota", "0.5")
        assert launcher.run(["/bin/true"], *options)["outcome"]["exit_status"] == 0
        assert not stale.exists() and not left_yesterday.exists()
        assert elsewhere.exists() and living.exists()
    finally:
        for group in (elsewhere, living):
            group.rmdir()


@needs_cpu_group
def test_launchers_of_two_pid_namespaces_have_groups_of_their_own(launcher: Launcher) -> None:
    """Both launchers are process 2 of their namespaces, which live until both have answered."""
    unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user cannot make a PID namespace")
    look = "print([line for line in open('/proc/self/cgroup') if 'runfair-' in line])"
    launch = launcher.command(("--cgroup-root", str(GROUPS), "--cpu-quota", "0.5"), python(look))
    command = [*unshare, "sh", "-c", '"$@" </dev/null; read -r _', "sh", *launch]
    with ExitStack() as stack:
        shells = [stack.enter_context(shell(command)) for _ in range(2)]
        first, second = (one.stdout.readline() for one in shells if one.stdout is not None)
    assert "-2\\n" in first and "-2\\n" in second
    assert first != second


@contextmanager
def shell(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A shell that lives until its input ends."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        yield process


@needs_cpu_group
def test_a_group_of_the_launchers_own_number_is_not_taken_over(launcher: Launcher) -> None:
    """Neither a young one: its counters are those of another program."""
    if not (GROUPS / "cpu").is_dir():
        pytest.skip("the folder of the stale group is only known for version 1")
    group = f"{GROUPS}/cpu/{name_of('$$')}"
    before = f"mkdir {group} && touch -d '30 seconds ago' {group} && exec \"$@\""
    look = f"""import os, sys, time
made = os.stat(f"{GROUPS}/cpu/{name_of("{os.getppid()}")}").st_mtime
sys.exit(time.time() - made > 20)
"""
    options = ("--cgroup-root", str(GROUPS), "--cpu-quota", "0.5")
    launch = launcher.command(options, python(look))
    process = subprocess.Popen(["/bin/sh", "-c", before, "sh", *launch], stdin=subprocess.DEVNULL)
    launcher.started.append(process)
    assert launcher.finish(process)["outcome"]["exit_status"] == 0
    assert remaining_groups(launcher) == []
