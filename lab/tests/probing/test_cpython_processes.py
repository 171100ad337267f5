"""The probe in several processes of every CPython of this machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from probing.cpythons import PROGRAMS, cpythons, executions, on_x86_64, probed
from probing.known_loop import loop_name, loops
from runfair.machine.native import build
from runfair.probing.probed_command import unfinished

pytestmark = on_x86_64

INTERPOSER = Path(__file__).with_name("interposer")


@pytest.mark.parametrize("python", cpythons())
def test_a_forked_worker_leaves_its_own_file(python: str, tmp_path: Path) -> None:
    work = (
        "loop(100_000)\n"
        "child = os.fork()\n"
        "if child == 0:\n    loop(30_000)\n    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0"
    )
    parent, child = sorted(
        loops(python, tmp_path, "os", work), key=lambda each: -executions(each)[loop_name(each)]
    )
    assert 100_000 < executions(parent)[loop_name(parent)] < 110_000
    assert 30_000 < executions(child)[loop_name(child)] < 31_000


@pytest.mark.parametrize("python", cpythons())
def test_a_pool_of_processes_is_followed(python: str, tmp_path: Path) -> None:
    work = (
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        pool.map(loop, [50_000] * 4, 1)\n"
        "        pool.close()\n        pool.join()"
    )
    processes = loops(python, tmp_path, "multiprocessing", work)
    assert len(processes) >= 3
    assert sum(executions(each).get(loop_name(each), 0) for each in processes) > 4 * 50_000


@pytest.mark.parametrize("python", cpythons())
def test_workers_that_a_pool_terminates_leave_their_results(python: str, tmp_path: Path) -> None:
    """The signal may come while the worker, having ended by itself, writes its file."""
    work = (
        "fork = multiprocessing.get_context('fork')\n"
        "all_begun = fork.Barrier(3)\n"
        "with fork.Pool(3, all_begun.wait) as pool:\n"
        "    pool.map(loop, [50_000] * 6, 1)"
    )
    processes = loops(python, tmp_path, "multiprocessing", work, "count")
    assert len(processes) == 4
    assert unfinished(tmp_path / "processes") == 0
    assert sum(executions(each).get(loop_name(each), 0) for each in processes) > 6 * 50_000


PREFORKED = """
children = []
for _ in range(3):
    began, begin = os.pipe()
    child = os.fork()
    if child == 0:
        loop(40_000)
        os.write(begin, b'.')
        while True:
            signal.pause()
    os.read(began, 1)
    children.append(child)
for child, number in zip(children, (signal.SIGTERM, signal.SIGTERM, signal.SIGKILL)):
    os.kill(child, number)
    assert os.waitpid(child, 0)[1] == number
"""


@pytest.mark.parametrize("python", cpythons())
def test_forked_workers_are_followed_and_a_killed_one_is_missed(
    python: str, tmp_path: Path
) -> None:
    processes = loops(python, tmp_path, "os, signal", PREFORKED, "count")
    assert len(processes) == 3
    assert unfinished(tmp_path / "processes") == 1
    assert sum(executions(each)[loop_name(each)] > 40_000 for each in processes) == 2


@pytest.mark.parametrize("python", cpythons())
@pytest.mark.parametrize("options", ("", "'-I', "))
def test_a_program_that_exec_replaced_is_missed(python: str, options: str, tmp_path: Path) -> None:
    """Whether or not the program that replaced it is probed."""
    program = tmp_path / "program.py"
    program.write_text(
        f"import os, sys\nos.execv(sys.executable, [sys.executable, {options}'-c', 'print(42)'])"
    )
    folder = tmp_path / "processes"
    done, processes = probed([python, program], folder, "count")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")
    assert (len(processes), unfinished(folder)) == (0 if options else 1, 1)


@pytest.mark.parametrize("python", cpythons())
def test_a_fork_that_only_prepares_a_program_is_not_missed(python: str, tmp_path: Path) -> None:
    """With a function to call before `exec`, CPython forks; its child is then the new program."""
    program = tmp_path / "program.py"
    program.write_text(
        "import subprocess, sys\n"
        "for command in ([sys.executable, '-c', '42'], ['true']):\n"
        "    subprocess.run(command, preexec_fn=lambda: None, check=True)"
    )
    folder = tmp_path / "processes"
    done, processes = probed([python, program], folder, "count")
    assert (done.returncode, len(processes), unfinished(folder)) == (0, 2, 0), done.stderr


@pytest.mark.parametrize("python", cpythons()[:1])
def test_a_file_whose_name_is_no_text_loses_no_results(python: str, tmp_path: Path) -> None:
    program = tmp_path / os.fsdecode(b"\xfc.py")
    program.write_text("for number in range(3_000_000): pass")
    done, (process,) = probed([python, program], tmp_path / "processes")
    assert done.returncode == 0, done.stderr
    assert process.sampling is not None
    assert str(tmp_path / "?.py") in {place.path for place in process.sampling.places}


DEADLOCKED = """
lock = ctypes.create_string_buffer(64)
begun, begin = os.pipe()
child = os.fork()
if child == 0:
    lock_twice = [ctypes.PyDLL(None).pthread_mutex_lock] * 2
    os.write(begin, b'.')
    for each in lock_twice:
        each(lock)
os.read(begun, 1)
while open(f'/proc/{child}/stat').read().rpartition(') ')[2][0] != 'S':
    time.sleep(0.01)
os.kill(0, signal.SIGTERM)
"""


@pytest.mark.parametrize("python", cpythons()[:1])
def test_a_signal_ends_a_process_that_does_not_listen(python: str, tmp_path: Path) -> None:
    """As it does without the probe, though its interpreter never runs again."""
    program = tmp_path / "program.py"
    program.write_text(f"import ctypes, os, signal, time\nos.setsid()\n{DEADLOCKED}")
    folder = tmp_path / "processes"
    done, processes = probed([python, program], folder, "count")
    assert (done.returncode, len(processes)) == (-signal.SIGTERM, 1), done.stderr
    # The output is at its end: the other process has ended too.
    assert unfinished(folder) == 1


@pytest.mark.parametrize("python", cpythons())
def test_a_sample_ends_no_child_on_its_way_to_exec(python: str, tmp_path: Path) -> None:
    done, _ = probed([python, PROGRAMS / "spawned.py"], tmp_path / "processes")
    assert (done.returncode, done.stdout) == (0, "0\n0\n0\n"), done.stderr


VFORKED = """
child = os.fork()
try:
    subprocess.run(['/absent'])
except FileNotFoundError:
    loop(30_000)
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize("python", cpythons()[:1])
def test_the_child_of_a_vfork_writes_no_file(python: str, tmp_path: Path) -> None:
    """It shares the memory of its parent, and ends by `_exit` because `execve` fails."""
    processes = loops(python, tmp_path, "os, subprocess", VFORKED, "count")
    assert (len(processes), unfinished(tmp_path / "processes")) == (2, 0)
    assert all(executions(each)[loop_name(each)] > 30_000 for each in processes)


CALLING = """
import os
def forked(act):
    child = os.fork()
    if child == 0:
        act()
    os.waitpid(child, 0)
forked(lambda: os.execve("/bin/true", ["true"], {}))
forked(lambda: os.execv("/bin/true", ["true"]))
forked(lambda: os._exit(0))
"""


@pytest.mark.parametrize("python", cpythons()[:1])
def test_another_preloaded_library_is_called_too(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", str(build("interposer.so", INTERPOSER)))
    folder = tmp_path / "processes"
    done, processes = probed([python, "-c", CALLING], folder, "count")
    assert (done.returncode, done.stdout) == (0, "execve\nexecv\n_exit\n"), done.stderr
    assert (len(processes), unfinished(folder)) == (2, 0)


CLOSED = """
import os, sys, threading
os.closerange(0, 3)
sys.setswitchinterval(1e-6)
def write():
    while True:
        for number in range(3):
            try:
                os.write(number, b"output")
            except OSError:
                pass
threading.Thread(target=write, daemon=True).start()
"""


# As a thread that writes just before the probe closes such a number.
CLOSING = """
import os
os.closerange(0, 3)
close = os.close
def closed(number):
    if number < 3:
        os.write(number, b"output" * 100_000)
    close(number)
os.close = closed
"""


@pytest.mark.parametrize("python", cpythons()[:1])
@pytest.mark.parametrize("program", (CLOSED, CLOSING), ids=("closed", "closing"))
def test_no_thread_writes_to_the_side_file(python: str, program: str, tmp_path: Path) -> None:
    """The program has closed its standard streams, whose numbers the probe must not use."""
    done, processes = probed([python, "-c", program], tmp_path / "processes")
    assert (done.returncode, len(processes)) == (0, 1), done.stderr


LOST = """
import os, shutil, signal, sys
shutil.rmtree(os.environ["RUNFAIR_PROBE_FOLDER"])
os.closerange(0, 3)
for path in sys.argv[1:]:
    os.open(path, os.O_CREAT | os.O_WRONLY)
os.kill(os.getpid(), signal.SIGTERM)
signal.pause()
"""


@pytest.mark.parametrize("python", cpythons()[:1])
@pytest.mark.parametrize("files", (0, 3))
def test_the_report_of_lost_results_goes_to_no_file_of_the_program(
    python: str, files: int, tmp_path: Path
) -> None:
    opened = [tmp_path / str(number) for number in range(files)]
    done, processes = probed([python, "-c", LOST, *opened], tmp_path / "processes", "count")
    assert (done.returncode, processes) == (-signal.SIGTERM, [])
    assert not any(path.read_bytes() for path in opened)
