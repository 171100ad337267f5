"""How a program begins and ends: outcomes, time-outs, the lifeline, what it inherits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from launcher.conftest import Launcher, alive, numbers_in, python, wait_until

# Writes its own number to the file and stays, in a session of its own and with no parent left.
DAEMON = """
import os, sys, time
def daemon(file):
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        with open(file, "a") as out:
            out.write(f"{os.getpid()}\\n")
        while True:
            time.sleep(60)
    os.wait()
"""
STAYS = """
import os, sys, time
with open(sys.argv[1], "a") as out:
    out.write(f"{os.getpid()}\\n")
while True:
    time.sleep(60)
"""


def test_exit_status(launcher: Launcher) -> None:
    report = launcher.run(python("raise SystemExit(42)"))
    assert report["outcome"] == {
        "state": "exited",
        "exit_status": 42,
        "signal": None,
        "error": None,
    }
    assert report["processes"] == report["processes_started"] == 1
    assert report["left_behind"] == 0


def test_signal(launcher: Launcher) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGUSR1)"
    outcome = launcher.run(python(code))["outcome"]
    assert (outcome["state"], outcome["signal"]) == ("signalled", signal.SIGUSR1)
    assert outcome["exit_status"] is None


def test_a_missing_program_is_not_an_exit_with_127(launcher: Launcher, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    report = launcher.run([missing])
    assert report["outcome"]["state"] == "not_started"
    assert report["outcome"]["error"] == (
        f"cannot execute {missing}: No such file or directory (errno 2)"
    )
    assert report["cpu_ns"] == report["wall_ns"] == report["processes"] == 0

    exited = launcher.run(["/bin/sh", "-c", "exit 127"])["outcome"]
    assert (exited["state"], exited["exit_status"]) == ("exited", 127)


def test_a_text_file_is_not_given_to_a_shell(launcher: Launcher, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("exit 0\n")
    script.chmod(0o755)
    outcome = launcher.run([str(script)])["outcome"]
    assert outcome["state"] == "not_started"
    assert outcome["error"].endswith("(errno 8)")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--directory", "/nowhere"), "cannot enter /nowhere: No such file or directory (errno 2)"),
        (
            ("--processors", "1023"),
            "cannot pin to the processors: Invalid argument (errno 22)",
        ),
    ],
)
def test_a_start_that_fails_names_the_step(
    launcher: Launcher, options: tuple[str, str], error: str
) -> None:
    outcome = launcher.run(["/bin/true"], *options)["outcome"]
    assert (outcome["state"], outcome["error"]) == ("not_started", error)


def test_timeout_ends_escaped_daemons(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = DAEMON + "for _ in range(3): daemon(sys.argv[1])\nwhile True: time.sleep(60)"
    report = launcher.run(python(code, str(pids)), "--timeout", "1.5")
    assert report["outcome"]["state"] == "timed_out"
    assert report["outcome"]["signal"] == signal.SIGKILL
    assert len(numbers_in(pids)) == 3
    assert not any(alive(pid) for pid in numbers_in(pids))
    assert report["processes"] == 4
    assert report["outcome"]["error"] is None
    assert report["wall_ns"] >= 1_500_000_000


def test_timeout_ends_a_tree_that_keeps_forking(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    # Each generation leaves its parent at once, so that the tree moves while it is walked.
    code = """
import os, sys, time
while True:
    time.sleep(0.002)
    if os.fork() != 0:
        os._exit(0)
    os.setsid()
    with open(sys.argv[1], "a") as out:
        out.write(f"{os.getpid()}\\n")
"""
    holder = "import os, sys, time\nif os.fork() == 0:\n exec(sys.argv[2])\ntime.sleep(60)"
    report = launcher.run(python(holder, str(pids), code), "--timeout", "1")
    assert report["outcome"]["state"] == "timed_out"
    assert len(numbers_in(pids)) > 10
    written = pids.stat().st_size
    time.sleep(0.2)
    assert pids.stat().st_size == written
    assert not alive(numbers_in(pids)[-1])


def test_what_is_left_behind_is_counted_and_ended(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        DAEMON
        + """
daemon(sys.argv[1])
daemon(sys.argv[1])
while not os.path.exists(sys.argv[1]) or len(open(sys.argv[1]).read().split()) < 2:
    time.sleep(0.01)
raise SystemExit(5)
"""
    )
    report = launcher.run(python(code, str(pids)))
    assert (report["outcome"]["state"], report["outcome"]["exit_status"]) == ("exited", 5)
    assert report["left_behind"] == 2
    assert not any(alive(pid) for pid in numbers_in(pids))


def test_an_attendant_that_ends_by_itself_is_not_left_behind(launcher: Launcher) -> None:
    # It ends at the end of file of a pipe the program holds, as multiprocessing's tracker does.
    code = """
import os
reading, writing = os.pipe()
if os.fork() == 0:
    os.close(writing)
    os.read(reading, 1)
    os._exit(0)
"""
    assert launcher.run(python(code))["left_behind"] == 0


LAB = """
import subprocess, sys, time
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
print(process.pid, flush=True)
time.sleep(600)
"""


def test_nothing_outlives_a_killed_lab(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = DAEMON + "daemon(sys.argv[1])\ndaemon(sys.argv[1])\n" + STAYS
    command = launcher.command((), python(code, str(pids)))
    # The lab must be able to import subprocess, hence no -S.
    with subprocess.Popen(
        [sys.executable, "-c", LAB, *command], stdout=subprocess.PIPE, text=True
    ) as lab:
        assert lab.stdout
        launcher_pid = int(lab.stdout.readline())
        wait_until(lambda: len(numbers_in(pids)) == 3, "the tree stands")
        assert all(alive(pid) for pid in [launcher_pid, *numbers_in(pids)])
        lab.kill()
    wait_until(launcher.report_file.exists, "the launcher has reported")
    wait_until(lambda: not alive(launcher_pid), "the launcher is gone")
    assert not any(alive(pid) for pid in numbers_in(pids))
    assert launcher.read_report()["outcome"]["state"] == "ended_by_lab"


def test_the_lifeline_works_though_its_write_end_slipped_through(launcher: Launcher) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    process = subprocess.Popen(
        launcher.command((), ["/bin/sleep", "600"]), stdin=reading, pass_fds=(writing,)
    )
    os.close(reading)
    os.close(writing)
    assert launcher.finish(process)["outcome"]["state"] == "ended_by_lab"


def test_no_lifeline_without_a_pipe(launcher: Launcher) -> None:
    # /dev/null is at its end of file from the beginning, and means nothing.
    assert launcher.run(["/bin/sleep", "0.2"])["outcome"]["state"] == "exited"


def test_an_orderly_end(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = "import signal, sys\nsignal.signal(15, lambda *_: sys.exit(7))\n" + STAYS
    process = launcher.start(python(code, str(pids)))
    wait_until(lambda: len(numbers_in(pids)) == 1, "the program stands")
    assert process.stdin
    process.stdin.write(b"t")
    process.stdin.close()  # the end of file after 't' must not cut the grace short
    report = launcher.finish(process)
    assert (report["outcome"]["state"], report["outcome"]["exit_status"]) == ("ended_by_lab", 7)


def test_a_program_that_will_not_end_is_killed_after_the_grace(
    launcher: Launcher, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    code = DAEMON + "import signal\nsignal.signal(15, signal.SIG_IGN)\ndaemon(sys.argv[1])" + STAYS
    process = launcher.start(python(code, str(pids)), "--grace", "0.5")
    wait_until(lambda: len(numbers_in(pids)) == 2, "the tree stands")
    asked_ns = time.monotonic_ns()
    assert process.stdin
    process.stdin.write(b"t")
    process.stdin.flush()
    report = launcher.finish(process)
    assert (report["outcome"]["state"], report["outcome"]["signal"]) == ("ended_by_lab", 9)
    assert report["started_monotonic_ns"] + report["wall_ns"] - asked_ns >= 500_000_000
    assert not any(alive(pid) for pid in numbers_in(pids))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_launcher_ends_the_tree(
    launcher: Launcher, tmp_path: Path, number: signal.Signals
) -> None:
    pids = tmp_path / "pids"
    process = launcher.start(python(DAEMON + "daemon(sys.argv[1])" + STAYS, str(pids)))
    wait_until(lambda: len(numbers_in(pids)) == 2, "the tree stands")
    process.send_signal(number)
    assert launcher.finish(process)["outcome"]["state"] == "ended_by_lab"
    assert not any(alive(pid) for pid in numbers_in(pids))


def test_a_killed_launcher_takes_the_program_along(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    process = launcher.start(python(STAYS, str(pids)))
    wait_until(lambda: len(numbers_in(pids)) == 1, "the program stands")
    process.kill()
    process.wait()
    wait_until(lambda: not alive(numbers_in(pids)[0]), "the program is gone")
    assert not launcher.report_file.exists()


def test_the_program_reads_the_descriptor_it_is_given(launcher: Launcher, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    out, err = tmp_path / "out", tmp_path / "err"
    code = "import sys; print(sys.stdin.read()); print('kept', file=sys.stderr)"
    process = launcher.start(
        python(code), "--program-stdin", str(reading), "--stdout", str(out), "--stderr", str(err),
        pass_fds=(reading,),
    )  # fmt: skip
    os.close(reading)
    os.write(writing, b"hello")
    os.close(writing)
    assert launcher.finish(process)["outcome"]["exit_status"] == 0
    assert out.read_text() == "hello\n"
    assert err.read_text() == "kept\n"


def test_the_launcher_keeps_no_copy_of_the_program_input(
    launcher: Launcher, tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    pids = tmp_path / "pids"
    code = "import os\nos.close(0)\n" + STAYS
    launcher.start(python(code, str(pids)), "--program-stdin", str(reading), pass_fds=(reading,))
    os.close(reading)
    wait_until(lambda: len(numbers_in(pids)) == 1, "the program stands")
    # The last reader closed it, so writing breaks; a copy in the launcher would swallow the bytes.
    with pytest.raises(BrokenPipeError):
        os.write(writing, b"x")
    os.close(writing)


INSIDE = """
import json, os, signal
print(json.dumps({
    "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd")),
    "input": os.readlink("/proc/self/fd/0"),
    "processors": sorted(os.sched_getaffinity(0)),
    "session": os.getsid(0) == os.getpgid(0) == os.getpid(),
    "blocked": [int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())],
    "ignored": [line.split()[1] for line in open("/proc/self/status")
                if line.startswith("SigIgn")],
    "folder": os.getcwd(),
}))
"""


@pytest.mark.parametrize("own_input", [False, True])
def test_what_the_program_inherits(launcher: Launcher, tmp_path: Path, own_input: bool) -> None:
    processor = max(os.sched_getaffinity(0))
    out = tmp_path / "out"
    slipped = os.open("/dev/null", os.O_RDONLY)
    options = ["--stdout", str(out), "--processors", str(processor), "--directory", "/usr"]
    if own_input:
        options += ["--program-stdin", str(slipped)]
    report = launcher.finish(launcher.start(python(INSIDE), *options, pass_fds=(slipped,)))
    os.close(slipped)
    inside = json.loads(out.read_text())
    listing = 3  # the folder that is just being listed
    assert inside["descriptors"] == [0, 1, 2, listing]
    assert inside["input"] == "/dev/null"
    assert inside["processors"] == [processor] == report["processors"]
    assert inside["session"] is True
    assert inside["blocked"] == []
    # Python itself ignores SIGPIPE (13) and SIGXFSZ (25).
    assert int(inside["ignored"][0], 16) == 1 << 12 | 1 << 24
    assert inside["folder"] == "/usr"


def test_the_launcher_keeps_its_own_affinity(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    process = launcher.start(
        python(STAYS, str(pids)), "--processors", str(min(os.sched_getaffinity(0)))
    )
    wait_until(lambda: len(numbers_in(pids)) == 1, "the program stands")
    assert os.sched_getaffinity(process.pid) == os.sched_getaffinity(0)


def test_a_report_appears_whole_or_not_at_all(launcher: Launcher, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    process = launcher.start(python(STAYS, str(pids)))
    wait_until(lambda: len(numbers_in(pids)) == 1, "the program stands")
    assert not launcher.report_file.exists()
    process.terminate()
    launcher.finish(process)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pids", "report.json"]


def test_an_unwritable_report_starts_nothing(launcher: Launcher, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    done = subprocess.run(
        [launcher.binary, "--report", "/nowhere/report.json", "--", "/bin/touch", mark],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("runfair-launch: ") and done.stderr.count("\n") == 1
    assert not mark.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--report", "r"],
        ["--report", "r", "--"],
        ["--", "/bin/true"],
        ["--report", "r", "--timeout", "soon", "--", "/bin/true"],
        ["--report", "r", "--timeout", "0", "--", "/bin/true"],
        ["--report", "r", "--processors", "1-", "--", "/bin/true"],
        ["--report", "r", "--processors", "3-1", "--", "/bin/true"],
        ["--report", "r", "--program-stdin", "77", "--", "/bin/true"],
        ["--report", "r", "--memory-limit", "-5", "--", "/bin/true"],
        ["--report", "r", "--colour", "red", "--", "/bin/true"],
        ["--report", "r", "/bin/true"],
    ],
)
def test_a_mistake_is_one_line_and_status_2(
    launcher: Launcher, tmp_path: Path, arguments: list[str]
) -> None:
    done = subprocess.run(
        [launcher.binary, *arguments],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("runfair-launch: ") and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
