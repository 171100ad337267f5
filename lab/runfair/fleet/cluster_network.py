"""The network of a private cluster: a bridge in the cluster's own network namespace, and a pair of
virtual interfaces for each host. The network's addresses do not exist outside.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from runfair.errors import UserMistake
from runfair.fleet.slurm_files import NETWORK

BRIDGE = "bridge"
INSIDE = "eth0"
LIMIT_S = 30.0

Link = tuple[str, str, int]
"""A host's name, its address and the process number of its holder."""


def connect(holder: int, links: Sequence[Link]) -> None:
    """Connects all hosts to one bridge. Raises UserMistake if the kernel refuses."""
    commands = [f"link add {BRIDGE} type bridge", f"link set {BRIDGE} up", "link set lo up"]
    for index, (_, _, pid) in enumerate(links):
        outside = f"port{index}"
        commands += [
            f"link add {outside} type veth peer name {INSIDE} netns {pid}",
            f"link set {outside} master {BRIDGE}",
            f"link set {outside} up",
        ]
    _configure(holder, commands)
    for _, address, pid in links:
        inside = [f"address add {address}/16 dev {INSIDE}", f"link set {INSIDE} up"]
        _configure(pid, ["link set lo up", *inside])


def _configure(pid: int, commands: Sequence[str]) -> None:
    """Runs ip(8)'s commands in the network namespace of a process."""
    try:
        done = subprocess.run(
            ["nsenter", "--target", str(pid), "--net", "ip", "-batch", "-"],
            input="\n".join(commands) + "\n",
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise UserMistake(
            f"{error.filename} is missing; install it with apt-get install iproute2"
        ) from None
    if done.returncode:
        said = done.stderr.strip().splitlines()[0] if done.stderr.strip() else "no message"
        raise UserMistake(f"the network {NETWORK}.0.0/16 of the cluster cannot be made ({said})")
