"""The network of a private cluster: a bridge in the cluster's own network namespace, and a pair of
virtual interfaces for each host. The network's addresses do not exist outside.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from typing import NamedTuple

from runfair.errors import UserMistake
from runfair.fleet import link_emulator
from runfair.fleet.cluster_daemons import NETWORK

BRIDGE = "bridge"
INSIDE = link_emulator.INTERFACE
LIMIT_S = 30.0
# Packets that a link delays at a time. netem would drop the 1,001st by default (tc-netem(8)), and a
# fast sender would lose packets because of the delay.
MOST_DELAYED = link_emulator.MOST_HELD

Link = tuple[str, str, int]
"""A host's name, its address and the process number of its holder."""


class Impairment(NamedTuple):
    """What happens to the packets that a host sends: a delay, and the loss of a share of them."""

    delay_ns: int = 0
    loss: float = 0.0


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
        _configure(pid, ["link set lo up", *_raised(address)])


def impair(holder: int, links: Sequence[Link], impairments: Sequence[Impairment]) -> bool:
    """Delays and drops packets that the hosts send, with an impairment for each link; the first
    link is perfect. Returns whether the kernel's netem does so. If the kernel lacks netem, a
    program on each link does (`link_emulator`).

    Raises UserMistake if the kernel lacks both netem and TAP devices.
    """
    netem = ["root", "handle", "1:", "netem", "limit", str(MOST_DELAYED)]
    try:
        for (_, _, pid), (delay_ns, loss) in zip(links[1:], impairments[1:], strict=True):
            stated = ["delay", f"{delay_ns // 1000}us", "loss", f"{loss:.4%}"]
            _add_discipline(pid, [*netem, *stated])
    except UserMistake as lacking:
        # The kernel leaves checksums to the hardware that a pair of interfaces pretends to have. A
        # program would hand on frames without checksums, so no frame may come from such a pair.
        for seed, (link, own) in enumerate(zip(links, impairments, strict=True)):
            options = [str(one) for one in (*own, seed)]
            _insert_emulator(holder, link, options, lacking)
        return False
    return True


def limit_rate(links: Sequence[Link], mbit_per_s: float, *, after_netem: bool) -> None:
    """Limits the bandwidth at which each host but the first sends. Raises UserMistake if the kernel
    lacks the token bucket filter."""
    place = ["parent", "1:1"] if after_netem else ["root"]
    limit = ["tbf", "rate", f"{round(mbit_per_s * 1e6)}bit", "burst", "32kb", "latency", "100ms"]
    for _, _, pid in links[1:]:
        try:
            _add_discipline(pid, [*place, *limit])
        except UserMistake as error:
            raise UserMistake(
                "--rate: this kernel lacks the token bucket filter (CONFIG_NET_SCH_TBF), which "
                f"limits the bandwidth ({error}); leave --rate out"
            ) from None


def _raised(address: str) -> list[str]:
    return [f"address add {address}/16 dev {INSIDE}", f"link set {INSIDE} up"]


def _insert_emulator(holder: int, link: Link, options: Sequence[str], lacking: UserMistake) -> None:
    _, address, pid = link
    outside = link_emulator.LINK
    _configure(
        pid,
        [
            f"address flush dev {INSIDE}",
            f"link set {INSIDE} down",
            f"link set {INSIDE} name {outside}",
            # The kernel would answer for the host's address on this interface, too.
            f"link set {outside} arp off up",
        ],
    )
    # It belongs to the cluster's processes, and not to those of the host.
    place = ["nsenter", f"--net=/proc/{pid}/ns/net", "--target", str(holder), "--pid"]
    command = [*place, sys.executable, "-I", link_emulator.__file__, *options]
    try:
        said = _output(command)
    except UserMistake as error:
        raise UserMistake(
            f"--delay and --loss: this kernel lacks netem (CONFIG_NET_SCH_NETEM: {lacking}) and "
            f"TAP devices (CONFIG_TUN: {error}), but delaying and dropping packets needs one of "
            "them; leave --delay and --loss out"
        ) from None
    assert said == "ready"
    _configure(pid, _raised(address))


def _add_discipline(pid: int, words: Sequence[str]) -> None:
    """Adds a queueing discipline to the interface of a host."""
    _output([*_within(pid), "tc", "qdisc", "add", "dev", INSIDE, *words])


def _configure(pid: int, commands: Sequence[str]) -> None:
    """Runs ip(8)'s commands in the network namespace of a process."""
    try:
        _output([*_within(pid), "ip", "-batch", "-"], "\n".join(commands) + "\n")
    except UserMistake as error:
        raise UserMistake(
            f"the network {NETWORK}.0.0/16 of the cluster cannot be made ({error})"
        ) from None


def _within(pid: int) -> list[str]:
    return ["nsenter", "--target", str(pid), "--net"]


def _output(command: Sequence[str], text: str = "") -> str:
    """The output of a command with this input. If the command fails, raises UserMistake with the
    command's first message."""
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except FileNotFoundError as error:
        raise UserMistake(
            f"{error.filename} is missing; install it with apt-get install iproute2"
        ) from None
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip()
        raise UserMistake(said.splitlines()[0] if said else "no message")
    return done.stdout.strip()
