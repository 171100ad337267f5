"""The file `machines.toml`: read, held against the nodes of a partition, and written for a cluster
on this machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from runfair.errors import UserMistake
from runfair.fleet.slurm import Node
from runfair.formats.machines import HOUR_MIN, LOCAL_MACHINES, HostRole, Machines, Needs
from runfair.formats.toml import read_toml


def read_machines(path: Path | None) -> Machines:
    """The contents of the file. If there is no file, the plan runs on this machine."""
    return LOCAL_MACHINES if path is None else read_toml(path, Machines)


def lacking(needs: Needs, node: Node) -> list[str]:
    """The requirements of a role that the node does not meet."""
    lacks = [f"feature {name}" for name in needs.features if name not in node.features]
    if node.processors < needs.processors:
        lacks.append(f"{needs.processors} processors (the node has {node.processors})")
    if node.memory_mib < needs.memory_mib:
        lacks.append(f"{needs.memory_mib} MiB of memory (the node has {node.memory_mib})")
    return lacks


def require_hosts(machines: Machines, nodes: Sequence[Node]) -> None:
    """Raises UserMistake if the partition with these nodes (at least one) cannot meet the needs of
    the roles even when it is idle.
    """
    where = f"partition {machines.partition}"
    for role, needs in machines.roles.items():
        able = [node for node in nodes if not lacking(needs, node)]
        if len(able) >= needs.all_hosts:
            continue
        if not able:
            first = nodes[0]
            raise UserMistake(
                f"{where}: no node meets the requirements of {role}; for example, {first.name} "
                f"lacks {', '.join(lacking(needs, first))}"
            )
        raise UserMistake(
            f"{where}: {role} needs {needs.all_hosts} hosts, but only {len(able)} of the "
            f"{len(nodes)} nodes meet its requirements"
        )
    total = sum(needs.all_hosts for needs in machines.roles.values())
    if total > len(nodes):
        raise UserMistake(
            f"{where}: the roles together need {total} hosts, but there are only {len(nodes)} nodes"
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
