"""The hosts that measure a service together: one for each role, or several for the load generator
and for the service.

The lab's program runs on the generator's host, with the load generator. The lab's program starts
the service, the database and further load generators on their hosts, as steps of the same job,
through places. The name of a place is the role of its host. If a role has several hosts, the names
of all places after the first also have a number.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from runfair.errors import UserMistake
from runfair.fleet.allocation import Allocation
from runfair.fleet.machines import known_hosts
from runfair.formats.host import Host
from runfair.formats.kept_file import write_whole
from runfair.formats.machines import GENERATOR_ROLE, PROGRAM_ROLE, HostRole, Machines
from runfair.formats.place import LOCAL, DeclaredPlace
from runfair.formats.plan import Cell, Plan
from runfair.formats.record import FileName, Record
from runfair.formats.run_folder import RunFolder

Item = TypeVar("Item")
GENERATOR: HostRole = GENERATOR_ROLE
DATABASE: HostRole = "database"
TEAM_FILE = "team.json"
DISCARD_PORT = 9
# A program's environment is declared. Slurm adds its own variables, which are removed again.
CLEAN = ("bash", "-c", 'unset "${!SLURM@}" "${!SRUN@}" PWD SHLVL; exec "$@"', "bash")


class Member(Record):
    """A host of a team. `launcher` has the words that start a command on this host. `address` is
    the address of the stated interface, and is empty if no interface was stated."""

    host: str
    launcher: list[str]
    address: str = ""


class Team(Record):
    """The member of each role: `team.json` in the folder of a portion. A team of one member
    measures programs only. `described` is the name by which the host that measures calls itself;
    Slurm may use another name. `further` are the load generators beyond the first. `beside` are the
    hosts on which the service runs beside the first, by the names by which they call themselves.
    """

    members: dict[HostRole, Member]
    described: FileName
    further: list[Member] = []
    beside: dict[FileName, Member] = {}

    @property
    def name(self) -> str:
        """The host that measures, after which the team is named."""
        return self.members[PROGRAM_ROLE].host

    @property
    def hosts(self) -> list[str]:
        members = (*self.members.values(), *self.further, *self.beside.values())
        return [one.host for one in members]

    @property
    def further_places(self) -> dict[str, Member]:
        """The place of each load generator beyond the first."""
        return _numbered(GENERATOR, self.further)

    @property
    def places_beside(self) -> dict[str, FileName]:
        """The place of each host of the service beside the first, with the host's own name."""
        return _numbered(PROGRAM_ROLE, self.beside)

    def placed(self, plan: Plan) -> Plan:
        """The plan with its services and databases in the places of this team."""
        apart = {role: one for role, one in self.members.items() if role != GENERATOR}
        places = {
            name: DeclaredPlace(
                host=member.host,
                launcher=[*_configuration(), *member.launcher, *CLEAN],
                address=member.address or _address(member.host, name),
                clock="measured",
            )
            for name, member in (
                *apart.items(),
                *self.further_places.items(),
                *_numbered(PROGRAM_ROLE, self.beside.values()).items(),
            )
        }
        stated = self.members[GENERATOR].address
        own_place = DeclaredPlace(address=stated or own_address(places[PROGRAM_ROLE].address))
        cells = [_in_places(cell) for cell in plan.cells]
        return plan.model_copy(update={"cells": cells, "places": {**places, LOCAL: own_place}})


def _numbered(role: HostRole, further: Iterable[Item]) -> dict[str, Item]:
    """The places of a role's hosts beyond the first, by name."""
    return {f"{role}-{number}": one for number, one in enumerate(further, 2)}


def roles_for(plan: Plan, machines: Machines) -> tuple[HostRole, ...]:
    """The roles that a plan needs. Raises UserMistake if the file does not state hosts for them, or
    not the same number for each, or if a service was planned for another number of its hosts."""
    served = [cell for cell in plan.cells if cell.service is not None and not cell.absent]
    needed: list[HostRole] = [PROGRAM_ROLE]
    if served:
        needed.insert(0, GENERATOR)
    if any(cell.service is not None and cell.service.database is not None for cell in served):
        needed.append(DATABASE)
    for cell in served:
        if cell.service is not None and cell.service.kind == "url":
            raise UserMistake(
                f"--machines: {cell.variant} is an external service, which no host of a partition "
                "can start: use --machines local"
            )
        if cell.factors.place != LOCAL:
            raise UserMistake(
                f"--machines: the experiment states the place {cell.factors.place} for "
                f"{cell.variant}, but Slurm decides where services run: leave `place` out"
            )
    for role in needed:
        if role not in machines.roles:
            raise UserMistake(
                f"--machines: [roles.{role}] is missing: services need a host for each of the "
                f"roles {', '.join(needed)}"
            )
    counts = {machines.roles[role].hosts for role in needed}
    if len(counts) > 1:
        raise UserMistake(
            f"--machines: the roles {', '.join(needed)} need the same number of `hosts`, because "
            "the hosts of all roles measure a service together"
        )
    _require_nodes(plan, machines.service_hosts)
    if served:
        _require_connections(served, machines.roles[GENERATOR].nodes)
    return tuple(needed)


def _require_nodes(plan: Plan, nodes: int) -> None:
    """Raises UserMistake if the plan cannot be measured with this number of hosts for a service."""
    here = f"--machines: [roles.{PROGRAM_ROLE}] has {nodes} `nodes` (hosts) for each service"
    for cell in plan.cells:
        if cell.absent:
            continue
        if cell.service is None and nodes > 1:
            raise UserMistake(
                f"{here}, but a program such as {cell.benchmark} runs on a single host: leave "
                "`nodes` out, or measure only services (`--only`)"
            )
        if cell.service is not None and cell.factors.hosts != nodes:
            raise UserMistake(
                f"{here}, but the run began with {cell.factors.hosts}: state `nodes = "
                f"{cell.factors.hosts}`, or start a new run"
            )


def _require_connections(served: Sequence[Cell], generators: int) -> None:
    """Raises UserMistake if a service has too few connections for this number of generators."""
    for cell in served:
        assert cell.service is not None
        instances, connections = cell.service.instances, cell.service.point.connections
        if connections < generators * instances:
            raise UserMistake(
                f"--machines: {connections} connections to {cell.variant} are too few, because "
                f"each of the {generators} load generators needs a connection to each instance "
                f"({generators * instances} connections in all): raise `connections` in the "
                f"experiment, or lower `nodes` in [roles.{GENERATOR}] or [roles.{PROGRAM_ROLE}]"
            )


def teams_of(
    allocation: Allocation, described: Mapping[str, Host], machines: Machines
) -> list[Team]:
    """The teams of an allocation whose hosts can all measure. Raises UserMistake if there are
    none, or if a host lacks the interface that the file states for its role."""
    roles = machines.roles
    groups = [_groups(hosts, roles[role].nodes) for role, hosts in allocation.roles.items()]
    teams = [
        _team(allocation, dict(zip(allocation.roles, each, strict=True)), described, machines)
        for each in zip(*groups, strict=True)
        if all(host in described for group in each for host in group)
    ]
    if not teams:
        raise UserMistake(
            f"a service needs a host for each of the roles {', '.join(allocation.roles)}, but only "
            f"these hosts can measure: {', '.join(described)}"
        )
    return teams


def _groups(hosts: Sequence[str], size: int) -> list[Sequence[str]]:
    return [hosts[start : start + size] for start in range(0, len(hosts), size)]


def _team(
    allocation: Allocation,
    hosts: Mapping[HostRole, Sequence[str]],
    described: Mapping[str, Host],
    machines: Machines,
) -> Team:
    def member(role: HostRole, host: str) -> Member:
        return Member(
            host=host,
            launcher=allocation.host_words(host),
            address=_stated_address(host, role, machines.roles[role].interface),
        )

    first, *beside = hosts[PROGRAM_ROLE]
    return Team(
        members={role: member(role, group[0]) for role, group in hosts.items()},
        described=described[first].name,
        further=[member(GENERATOR, host) for host in hosts.get(GENERATOR, ())[1:]],
        beside={described[host].name: member(PROGRAM_ROLE, host) for host in beside},
    )


def require_runtimes(plan: Plan, teams: Sequence[Team]) -> None:
    """Raises UserMistake if a host of the service of a team lacks a runtime of the plan."""
    used = {cell.variant for cell in plan.cells if not cell.absent}
    runtimes = {one.runtime for one in plan.variants if one.name in used}
    measuring = [
        one.host for team in teams for one in (team.members[PROGRAM_ROLE], *team.beside.values())
    ]
    for name, known in known_hosts(measuring).items():
        if lacking := sorted(runtimes & {*known.missing_runtimes}):
            raise UserMistake(
                f"{name} ({PROGRAM_ROLE}) lacks {', '.join(lacking)}: install it there at the same "
                "path as on the machine that starts ./runfair, or exclude such nodes by Slurm "
                f"`features` in [roles.{PROGRAM_ROLE}]"
            )


def unkept_clocks(teams: Sequence[Team]) -> list[str]:
    """The hosts whose clock no time service adjusts. Only teams of several hosts count, because
    runfair compares the clocks of these hosts."""
    hosts = [host for team in teams if len(team.members) > 1 for host in team.hosts]
    return [name for name, known in known_hosts(hosts).items() if known.host.clock_kept is False]


def write_team(folder: RunFolder, team: Team, run: RunFolder) -> None:
    """Writes into the folder of a portion which hosts carry it out, with the descriptions of the
    hosts that measure."""
    write_whole(folder.path / TEAM_FILE, team.model_dump_json() + "\n")
    for name in (team.described, *team.beside):
        write_whole(folder.host_file(name), run.host_file(name).read_text())


def read_team(folder: Path) -> Team | None:
    """The team that carries out the portion in this folder; None if it is a single host."""
    path = folder / TEAM_FILE
    return Team.model_validate_json(path.read_bytes()) if path.exists() else None


def role_of(host: str, roles: Mapping[HostRole, Sequence[str]]) -> HostRole:
    """The role of a host of an allocation."""
    return next(role for role, hosts in roles.items() if host in hosts)


def _in_places(cell: Cell) -> Cell:
    service = cell.service
    if service is None:
        return cell
    if service.database is not None:
        database = service.database.model_copy(update={"place": DATABASE})
        service = service.model_copy(update={"database": database})
    factors = cell.factors.model_copy(update={"place": PROGRAM_ROLE})
    return cell.model_copy(update={"factors": factors, "service": service})


def _configuration() -> list[str]:
    """The name of Slurm's configuration, which a program's clean environment does not have."""
    path = os.environ.get("SLURM_CONF")
    return ["env", f"SLURM_CONF={path}"] if path else []


def _stated_address(host: str, role: HostRole, interface: str) -> str:
    if not interface:
        return ""
    known = known_hosts([host])
    found = known[host].addresses if host in known else {}
    if interface not in found:
        raise UserMistake(
            f"{host} ({role}) has no interface {interface} with an IPv4 address (interfaces with "
            f"an IPv4 address: {', '.join(sorted(found)) or 'none'}): correct `interface` in "
            f"[roles.{role}]"
        )
    return found[interface]


def own_address(other: str) -> str:
    """This host's address on the network that leads to another host. On many systems, a host's own
    name stands for loopback, so the name is not looked up. Connecting a datagram socket sends
    nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((other, DISCARD_PORT))
        except OSError as error:
            raise UserMistake(
                f"{socket.gethostname()} has no route to {other}: {error.strerror}"
            ) from None
        return str(probe.getsockname()[0])


def _address(host: str, place: str) -> str:
    try:
        return socket.gethostbyname(host)
    except OSError as error:
        raise UserMistake(
            f"{socket.gethostname()} does not know the address of {host} ({place}): "
            f"{error.strerror}"
        ) from None
