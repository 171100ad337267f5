"""The machines of a run over a partition. This module compares the file `machines.toml` with the
nodes of the partition, and stores the description that each node gave of itself at its last
calibration."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from runfair.errors import UserMistake
from runfair.evidence.hosts import differing
from runfair.fleet.slurm import Slurm, require_installed
from runfair.fleet.slurm_answer import Node
from runfair.formats.host import KnownHost
from runfair.formats.kept_file import write_whole
from runfair.formats.machines import (
    HOUR_MIN,
    LOCAL_MACHINES,
    PROGRAM_ROLE,
    HostRole,
    Machines,
    Needs,
)
from runfair.formats.toml import read_toml
from runfair.formats.variant import Entry
from runfair.paths import private_folder

MACHINES_FILE = "machines.toml"
LOCAL = Path("local")


def read_machines(path: Path | None) -> Machines:
    """The contents of the file. Without a file, and for the word `local` instead of a file, the
    plan runs on this machine."""
    return LOCAL_MACHINES if path in (None, LOCAL) else read_toml(path, Machines)


def machines_beside(experiment: str) -> Path | None:
    """The `machines.toml` in the folder of an experiment's file; None if there is none, or if the
    experiment is stated by its name."""
    if not experiment.endswith(".toml"):
        return None
    beside = Path(experiment).with_name(MACHINES_FILE)
    return beside if beside.is_file() else None


def lacking(needs: Needs, node: Node) -> list[str]:
    """The requirements of a role that the node does not meet."""
    lacks = [f"feature {name}" for name in needs.features if name not in node.features]
    if node.processors < needs.processors:
        lacks.append(f"{needs.processors} processors (the node has {node.processors})")
    if node.memory_mib < needs.memory_mib:
        lacks.append(f"{needs.memory_mib} MiB of memory (the node has {node.memory_mib})")
    return lacks


def require_hosts(machines: Machines, nodes: Sequence[Node], roles: Collection[HostRole]) -> None:
    """Raises UserMistake if the partition with these nodes (at least one) cannot meet the needs of
    these roles even when it is idle, or if the lab's node is none of them.
    """
    wanted = {role: machines.roles[role] for role in roles}
    where = f"partition {machines.partition}"
    if machines.lab_node and machines.lab_node not in {node.name for node in nodes}:
        raise UserMistake(
            f"{where}: there is no node {machines.lab_node}, which [roles.lab] names; correct "
            "`node`, or leave [roles.lab] out if ./runfair runs outside the partition"
        )
    free = [node for node in nodes if node.name != machines.lab_node]
    apart = f", apart from the lab's node {machines.lab_node}" if machines.lab_node else ""
    for role, needs in wanted.items():
        able = [node for node in free if not lacking(needs, node)]
        if len(able) >= needs.all_hosts:
            continue
        if free and not able:
            first = free[0]
            raise UserMistake(
                f"{where}: no node meets the requirements of the role {role}; for example, "
                f"{first.name} lacks {', '.join(lacking(needs, first))}"
            )
        raise UserMistake(
            f"{where}: the role {role} needs {needs.all_hosts} hosts, but only {len(able)} of the "
            f"{len(free)} nodes meet the requirements of this role{apart}"
        )
    total = sum(needs.all_hosts for needs in wanted.values())
    if total > len(free):
        raise UserMistake(
            f"{where}: the roles together need {total} hosts, but there are only {len(free)} "
            f"nodes{apart}"
        )


def least_processors(machines: Machines, nodes: Sequence[Node]) -> int:
    """The number of processors that every node has on which Slurm may start programs. Raises
    UserMistake if there are too few such nodes."""
    require_hosts(machines, nodes, [PROGRAM_ROLE])
    needs = machines.roles[PROGRAM_ROLE]
    return min(
        node.processors
        for node in nodes
        if node.name != machines.lab_node and not lacking(needs, node)
    )


def slurm_target_text(
    enter: Sequence[str], partition: str, roles: Mapping[HostRole, int], processors: int
) -> str:
    """The text of a `machines.toml` for a partition in which each role has this number of hosts."""
    stated = "".join(
        f"\n[roles.{role}]\nhosts = {hosts}\nprocessors = {processors}\n"
        for role, hosts in roles.items()
    )
    return f"""\
engine = "slurm"
enter = {json.dumps(list(enter))}
partition = "{partition}"
time_limit_min = {12 * HOUR_MIN}
{stated}"""


SHOWN_SPEED = 0.01  # the smallest difference in speed that is shown
NOT_CALIBRATED = "not calibrated yet (use ./runfair calibrate --machines FILE)"
HOUR_NS = 3600 * 10**9


def machine_entries(machines: Machines) -> list[Entry]:
    """An entry for each node of the partition. The entry shows the node's state, the requirements
    of each role that the node does not meet, the node's calibration, the runtimes that the node
    lacks, and how the node differs from most nodes.
    """
    if machines.engine == "local":
        raise UserMistake(
            "`list machines` needs a file that names a Slurm partition; add --machines FILE"
        )
    if not machines.enter:
        require_installed()
    nodes = Slurm(tuple(machines.enter)).nodes(machines.partition)
    kinds = [(node.processors, node.memory_mib, node.architecture) for node in nodes]
    usual = max(kinds, key=kinds.count)
    known = known_hosts(node.name for node in nodes)
    # A host may call itself by another name than Slurm does.
    named = [one.host.model_copy(update={"name": node}) for node, one in known.items()]
    odd = differing(named, SHOWN_SPEED) if len(named) > 1 else {}
    entries = []
    for node, kind in zip(nodes, kinds, strict=True):
        detail = [f"{node.processors} processors, {node.memory_mib} MiB"]
        if node.problem:
            detail.append(node.problem)
        if node.name == machines.lab_node:
            detail.append("./runfair itself runs here, so this node gets no other role")
        told = known.get(node.name)
        lacks = {
            role: [*lacking(needs, node), *_lacking_interface(needs, told)]
            for role, needs in machines.requested.items()
        }
        detail += [f"lacks for {role}: {', '.join(each)}" for role, each in lacks.items() if each]
        if kind != usual:
            detail.append(
                "Slurm describes this node differently (in processors, memory or architecture) "
                "from most nodes"
            )
        detail += _described(told)
        if node.name in odd:
            detail.append(f"this node differs from most nodes ({odd[node.name]})")
        ready = node.usable and not any(lacks.values())
        state = "ready" if ready else "missing"
        entries.append(Entry(name=node.name, language="", state=state, detail="; ".join(detail)))
    return entries


def keep(node: str, known: KnownHost) -> None:
    """Stores the description that a node gave of itself."""
    path = _file(node)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, known.model_dump_json(indent=1) + "\n")


def known_hosts(nodes: Iterable[str]) -> dict[str, KnownHost]:
    """The descriptions that the nodes last gave of themselves. A node is left out if it has no
    description, or if another version of runfair wrote its description."""
    found = {}
    for node in nodes:
        try:
            found[node] = KnownHost.model_validate_json(_file(node).read_bytes())
        except (FileNotFoundError, ValidationError):
            continue
    return found


def _file(node: str) -> Path:
    return private_folder() / "hosts" / f"{node}.json"


def _lacking_interface(needs: Needs, known: KnownHost | None) -> list[str]:
    """Slurm does not know a node's network interfaces, so only a description shows them."""
    if not needs.interface or known is None or needs.interface in known.addresses:
        return []
    return [f"the interface {needs.interface} with an IPv4 address"]


def _described(known: KnownHost | None) -> list[str]:
    calibration = known.host.calibration if known is not None else None
    if known is None or calibration is None:
        return [NOT_CALIBRATED]
    hours = abs(time.time_ns() - calibration.realtime_ns) // HOUR_NS
    told = [
        f"noise floor {calibration.noise_floor_cpu:.1%} of CPU time, "
        f"{calibration.noise_floor_wall:.1%} of wall time, calibrated {hours} h ago"
    ]
    if known.missing_runtimes:
        told.append(f"lacks the runtimes {', '.join(known.missing_runtimes)}")
    return told
