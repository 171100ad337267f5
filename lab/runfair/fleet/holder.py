"""`holder.py NAME`: a separate program that is process 1 of a host made of namespaces.

The program holds the host's PID, network, mount, IPC, host name and time namespaces, and reaps
orphans. When process 1 of a PID namespace ends, the kernel ends every process of this namespace.
With the last process of a host, the kernel removes the host's network and mounts. A single SIGKILL
therefore removes a whole host. The hosts' namespaces lie inside the PID namespace of the cluster's
own holder, so a single SIGKILL to that holder removes the cluster.

The program writes its process number, as its caller sees it, to standard output. With the option
`--with-maker`, the program ends when the process that started it ends, unless that process has
written `stay` before.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

# constants of linux/sched.h
NEW_NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000
NEW_TIME = 0x00000080
STAY = b"stay\n"


def unshare(flags: int) -> None:
    """The system call unshare(2). Python itself has it only from 3.12 on."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(ctypes.c_int(flags)):
        code = ctypes.get_errno()
        raise OSError(code, f"unshare: {os.strerror(code)}")


def enter_new_namespaces(clock_ahead_ns: int) -> None:
    """Enters all namespaces of a host.

    Only child processes get the new PID and time namespaces. The host's CLOCK_MONOTONIC is
    `clock_ahead_ns` ahead of the caller's clock.
    """
    unshare(NEW_NAMESPACES | (NEW_TIME if clock_ahead_ns else 0))
    if clock_ahead_ns:
        seconds, rest = divmod(clock_ahead_ns, 10**9)
        Path("/proc/self/timens_offsets").write_text(f"monotonic {seconds} {rest}\n")


def mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(done.returncode, done.stderr.strip() or "mount failed")


def cgroup_trees() -> dict[str, str]:
    """The mounted cgroup v1 trees: the folder of each, with its mount options."""
    trees = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ")[:3]
        if kind == "cgroup":
            kept = [one for one in options.split(",") if one != "rw"]
            trees[Path(left.split(" ")[4]).name] = ",".join(kept)
    return trees


def mount_own_files(binds: list[str]) -> None:
    """Mounts the host's own /proc, /sys and cgroup trees, and the `binds`, each of the form
    FROM:TO."""
    hybrid = Path("/sys/fs/cgroup/unified").is_dir()
    trees = cgroup_trees()
    mount("-t", "proc", "proc", "/proc")
    mount("-t", "sysfs", "sysfs", "/sys")
    if trees:
        # slurmd refuses a mixture of cgroup versions 1 and 2; this tree has version 1 only.
        mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", "/sys/fs/cgroup")
        for name, options in trees.items():
            folder = Path("/sys/fs/cgroup") / name
            folder.mkdir()
            mount("-t", "cgroup", "-o", options, "cgroup", str(folder))
    elif not hybrid:
        mount("-t", "cgroup2", "cgroup2", "/sys/fs/cgroup")
    for bind in binds:
        source, _, target = bind.partition(":")
        mount("--bind", source, target)


def reap_forever() -> None:
    """Reaps orphans until SIGKILL. SIGCHLD is blocked, so that no orphan is missed."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            pass
        signal.sigwait({signal.SIGCHLD})


def hold(name: str, binds: list[str], *, with_maker: bool) -> None:
    """Prepares the host as its process 1, and then reaps orphans for ever."""
    os.setsid()
    try:
        # /proc is still the caller's, so this is the process number that the caller sees.
        number = Path("/proc/self").readlink()
        mount("--make-rprivate", "/")
        socket.sethostname(name)
        mount_own_files(binds)
    except OSError as error:
        print(f"error {name}: {error}", flush=True)
        os._exit(1)
    print(number, flush=True)
    if with_maker and sys.stdin.buffer.readline() != STAY:
        os._exit(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    reap_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("--bind", action="append", default=[], metavar="FROM:TO")
    parser.add_argument("--clock-ahead-ns", type=int, default=0)
    parser.add_argument("--with-maker", action="store_true")
    parser.add_argument("--processors", default="")
    asked = parser.parse_args()
    try:
        if asked.processors:
            os.sched_setaffinity(0, {int(one) for one in asked.processors.split(",")})
        enter_new_namespaces(asked.clock_ahead_ns)
    except OSError as error:
        print(f"error {asked.name}: {error}", flush=True)
        sys.exit(1)
    if os.fork() == 0:
        hold(asked.name, asked.bind, with_maker=asked.with_maker)


if __name__ == "__main__":
    main()
