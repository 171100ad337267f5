"""The nodes of a partition, as `./runfair list machines` shows them."""

from __future__ import annotations

from runfair.errors import UserMistake
from runfair.fleet.machines import lacking
from runfair.fleet.slurm import Slurm, require_installed
from runfair.formats.machines import Machines
from runfair.formats.variant import Entry


def machine_entries(machines: Machines) -> list[Entry]:
    """An entry for each node of the partition: its state, the requirements of a role that it does
    not meet, and its differences from most nodes.
    """
    if machines.engine == "local":
        raise UserMistake("list machines: name a file with a Slurm partition: --machines FILE")
    if not machines.enter:
        require_installed()
    nodes = Slurm(tuple(machines.enter)).nodes(machines.partition)
    kinds = [(node.processors, node.memory_mib, node.architecture) for node in nodes]
    usual = max(kinds, key=kinds.count)
    entries = []
    for node, kind in zip(nodes, kinds, strict=True):
        detail = [f"{node.processors} processors, {node.memory_mib} MiB"]
        if node.problem:
            detail.append(node.problem)
        for role, needs in machines.roles.items():
            if lacks := lacking(needs, node):
                detail.append(f"lacks for {role}: {', '.join(lacks)}")
        if kind != usual:
            detail.append("differs from most nodes")
        ready = node.usable and not any(lacking(needs, node) for needs in machines.roles.values())
        state = "ready" if ready else "missing"
        entries.append(Entry(name=node.name, language="", state=state, detail="; ".join(detail)))
    return entries
