"""`./runfair cluster start|stop|status`: hosts on this machine, for trying a run over many
machines.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from runfair.catalogue.amount import parse_length
from runfair.cli.measuring import shown_path
from runfair.cli.option import fraction
from runfair.cli.terminal import errors, output
from runfair.errors import UserMistake
from runfair.fleet.cluster import SERVICES_FILE, start, stop
from runfair.fleet.cluster_daemons import running_daemons, slurm_of
from runfair.fleet.cluster_state import ClusterState, Declared, cluster_folder, read_state
from runfair.fleet.machines import MACHINES_FILE


class Action(StrEnum):
    start = "start"
    stop = "stop"
    status = "status"


def cluster(
    action: Annotated[Action, typer.Argument(help="What to do.")],
    hosts: Annotated[
        int, typer.Option(min=1, max=64, help=("Number of hosts that measure programs."))
    ] = 3,
    processors: Annotated[
        int, typer.Option(min=1, help=("Number of processors that each host reports to Slurm."))
    ] = 1,
    rate: Annotated[
        float | None,
        typer.Option(help="Bandwidth of each host's link, in Mbit/s.", metavar="MBIT", min=0.001),
    ] = None,
    delay: Annotated[
        str,
        typer.Option(help=("Delay of the packets that each host sends, such as 20ms.")),
    ] = "0ms",
    delay_from: Annotated[
        int | None,
        typer.Option(
            help="Delay only the packets of the host with this number, such as 1 for host1.",
            metavar="NUMBER",
        ),
    ] = None,
    loss: Annotated[
        str,
        typer.Option(
            help="Share of each host's packets that the simulated network loses, such as 1%."
        ),
    ] = "0%",
    clock_step: Annotated[
        str,
        typer.Option(
            help="Set the clock of host number N ahead by N times this time. For example, with "
            "10ms, the clock of host1 is 10 ms ahead, and the clock of host2 is 20 ms ahead."
        ),
    ] = "0ms",
) -> None:
    """Start, stop or show a simulated cluster on this machine (needs root). Its hosts are network
    namespaces, on which a real Slurm runs. Measurements on these hosts show whether an experiment
    works, not how fast anything is."""
    if action is Action.stop:
        output.print("the cluster is stopped" if stop() else "no cluster is running")
        return
    if action is Action.status:
        state = read_state(cluster_folder())
        if state is None:
            raise UserMistake(
                "no cluster is running; start one, for example with ./runfair cluster start "
                "--hosts 3"
            )
        if os.geteuid():
            raise UserMistake(
                "cluster status: the cluster belongs to root; run the command as root"
            )
        _print(state)
        return
    delay_ns, lost = _length_ns("--delay", delay), fraction("--loss", loss)
    if delay_from is not None and not (delay_ns and 1 <= delay_from <= hosts):
        raise UserMistake(
            f"--delay-from {delay_from}: give the number of a host, from 1 to {hosts}, and also "
            "give a --delay"
        )
    if lost >= 1:
        raise UserMistake(f"--loss {loss}: no packet would arrive; give less than 100%")
    declared = Declared(
        hosts=hosts,
        processors=processors,
        rate_mbit_per_s=rate,
        delay_ns=delay_ns,
        delay_from=delay_from,
        loss=lost,
        clock_step_ns=_length_ns("--clock-step", clock_step),
    )
    with errors.status("starting") as status:
        state = start(declared, lambda step: status.update(escape(f"waiting for {step}")))
    _print(state)
    for name, measured in ((MACHINES_FILE, "programs"), (SERVICES_FILE, "services")):
        if (path := cluster_folder() / name).exists():
            command = f"./runfair run --machines {shown_path(path)}"
            output.print(f"to measure {measured} on the cluster: {command}", soft_wrap=True)


def _print(state: ClusterState) -> None:
    try:
        nodes = {node.name: node for node in slurm_of(state).nodes()}
        problem = ""
    except UserMistake as error:
        nodes, problem = {}, str(error)
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("host", "address", "state", "daemons"):
        grid.add_column(column, overflow="fold")
    for host in state.hosts:
        node = nodes.get(host.name)
        found = "controller" if host == state.control else "unknown"
        if not host.holder.lives:
            found = "ended"
        elif node is not None:
            found = node.problem or node.state.lower()
        daemons = ", ".join(running_daemons(host)) or "none"
        grid.add_row(host.name, host.address, Text(found), daemons)
    output.print(grid)
    if problem:
        errors.print(escape(problem), soft_wrap=True)
    if state.shared_processors:
        errors.print(
            f"limitation  the {state.declared.hosts} hosts of this cluster share the processors "
            "of one machine, so measurements on these hosts show whether an experiment works, not "
            "how fast anything is",
            soft_wrap=True,
        )


def _length_ns(option: str, text: str) -> int:
    try:
        return parse_length(text)
    except ValueError as error:
        raise UserMistake(f"{option}: {error}") from None
