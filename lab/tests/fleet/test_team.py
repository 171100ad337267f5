"""A service is measured by one host of each role; what is missing is one line."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from evidence.honest_run import honest_run
from evidence.honest_services import FASTIFY, honest_services, service_cell
from fleet.fake_slurm import FakeSlurm
from fleet.fleet_runs import small_plan
from runfair.errors import UserMistake
from runfair.fleet import team as module
from runfair.fleet.allocation import Allocation, JobRequest
from runfair.fleet.slurm import Slurm
from runfair.fleet.slurm_answer import parse_jobs
from runfair.fleet.team import (
    Member,
    Team,
    own_address,
    require_runtimes,
    roles_for,
    teams_of,
    unkept_clocks,
)
from runfair.formats.host import Host, KnownHost
from runfair.formats.machines import HostRole, Machines, Needs
from runfair.formats.place import LOCAL
from runfair.formats.plan import Plan

ROLES: tuple[HostRole, ...] = ("generator", "service", "database")
CELL = service_cell(FASTIFY)
NAMES = ("g1", "s2", "d3")


def machines(*roles: HostRole, hosts: int = 1) -> Machines:
    return Machines(
        engine="slurm", partition="quiet", roles={role: Needs(hosts=hosts) for role in roles}
    )


def served(*, database: bool = True) -> Plan:
    run = honest_services()
    return (run.with_database(FASTIFY) if database else run).plan


def allocation(*hosts: tuple[str, ...]) -> Allocation:
    names = [name for row in hosts for name in row]
    groups = {name: number for number, row in enumerate(hosts) for name in row}
    roles = dict(zip(ROLES, hosts, strict=False))
    return Allocation(Slurm(), 7, tuple(names), groups, roles)


def described(*names: str) -> dict[str, Host]:
    """Hosts that call themselves by longer names than Slurm does."""
    host = honest_run().host
    return {name: host.model_copy(update={"name": f"{name}.rack"}) for name in names}


def test_a_plan_needs_the_roles_that_it_uses() -> None:
    assert roles_for(small_plan(), machines("service")) == ("service",)
    assert roles_for(served(database=False), machines(*ROLES)) == ("generator", "service")
    assert roles_for(served(), machines(*ROLES)) == ROLES


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (machines("service"), r"\[roles.generator\] is missing"),
        (machines("service", "generator"), r"\[roles.database\] is missing"),
        (
            machines(*ROLES).model_copy(
                update={"roles": {**machines(*ROLES).roles, "service": Needs(hosts=2)}}
            ),
            "the same number of `hosts`",
        ),
    ],
)
def test_hosts_that_are_not_stated_are_one_line(stated: Machines, said: str) -> None:
    with pytest.raises(UserMistake, match=said) as caught:
        roles_for(served(), stated)
    assert "\n" not in str(caught.value)


def test_a_place_of_the_experiment_is_refused() -> None:
    plan = served()
    cells = [
        one.model_copy(update={"factors": one.factors.model_copy(update={"place": "beyond"})})
        for one in plan.cells
    ]
    with pytest.raises(UserMistake, match="states the place beyond"):
        roles_for(plan.model_copy(update={"cells": cells}), machines(*ROLES))


def test_the_roles_are_components_of_one_job() -> None:
    words = " ".join(JobRequest("run", machines(*ROLES), ROLES).words)
    assert words.startswith("salloc --no-shell --no-kill --exclusive --job-name=run")
    assert words.count(" : --exclusive --job-name=run --partition=quiet --nodes=1") == 2


def test_components_of_a_job_are_read_in_their_order(tmp_path: Path) -> None:
    entry = {"job_state": "RUNNING", "name": "run", "nodes": "x"}
    jobs = parse_jobs(
        {
            "jobs": [
                {
                    **entry,
                    "job_id": 9,
                    "het_job_id": {"set": True, "number": 7},
                    "het_job_offset": 1,
                },
                {**entry, "job_id": 7, "het_job_id": 7, "het_job_offset": 0},
                {**entry, "job_id": 8, "het_job_id": 0, "het_job_offset": None},
            ]
        }
    )
    assert [(one.leader, one.offset) for one in jobs] == [(7, 1), (7, 0), (0, 0)]
    assert FakeSlurm(tmp_path).slurm.host_names("host[1-2]") == ["host1", "host2"]


def test_a_team_has_a_host_of_each_role() -> None:
    held = allocation(("g1", "g2"), ("s1", "s2"), ("d1", "d2"))
    first, second = teams_of(held, described("g1", "g2", "s1", "s2", "d1", "d2"), machines(*ROLES))
    assert (first.name, first.hosts) == ("s1", ["g1", "s1", "d1"])
    assert first.described == "s1.rack"
    assert second.members["database"].launcher[:3] == ["srun", "--jobid=7", "--het-group=2"]
    # A team needs all of its hosts.
    assert [
        one.name
        for one in teams_of(held, described("g1", "g2", "s1", "s2", "d2"), machines(*ROLES))
    ] == ["s2"]


def test_a_team_may_have_several_generators() -> None:
    held = allocation(("g1", "g2", "g3", "g4"), ("s1", "s2"), ("d1", "d2"))
    stated = machines(*ROLES, hosts=2)
    roles = {**stated.roles, "generator": Needs(hosts=2, nodes=2)}
    stated = stated.model_copy(update={"roles": roles})
    assert roles_for(served(), stated) == ROLES
    assert "--nodes=4" in JobRequest("run", stated, ROLES).words
    names = ("g1", "g2", "g3", "g4", "s1", "s2", "d1", "d2")
    first, second = teams_of(held, described(*names), stated)
    assert first.hosts == ["g1", "s1", "d1", "g2"]
    assert {name: one.host for name, one in second.further_places.items()} == {"generator-2": "g4"}
    assert second.further[0].launcher[:3] == ["srun", "--jobid=7", "--het-group=0"]
    # A team needs all of its generators.
    (left,) = teams_of(held, described(*names[1:]), stated)
    assert left.name == "s2"


def test_each_generator_needs_a_connection_to_each_instance() -> None:
    plan = served()

    def with_pool(connections: int) -> Plan:
        cells = []
        for cell in plan.cells:
            if (service := cell.service) is not None:
                point = service.point.model_copy(update={"connections": connections})
                service = service.model_copy(update={"instances": 2, "point": point})
            cells.append(cell.model_copy(update={"service": service}))
        return plan.model_copy(update={"cells": cells})

    stated = machines(*ROLES)
    roles = {**stated.roles, "generator": Needs(nodes=3)}
    stated = stated.model_copy(update={"roles": roles})
    assert roles_for(with_pool(6), stated) == ROLES
    said = "5 connections to .* are too few, .* each of the 3 load .* [(]6 connections in all[)]"
    with pytest.raises(UserMistake, match=said):
        roles_for(with_pool(5), stated)


def on_two(plan: Plan, hosts: int = 2) -> Plan:
    """The plan for services on two hosts."""
    cells = [
        one.model_copy(update={"factors": one.factors.model_copy(update={"hosts": hosts})})
        for one in plan.cells
    ]
    return plan.model_copy(update={"cells": cells})


def two_for_a_service(hosts: int = 1) -> Machines:
    stated = machines(*ROLES, hosts=hosts)
    roles = {**stated.roles, "service": Needs(hosts=hosts, nodes=2)}
    return stated.model_copy(update={"roles": roles})


def test_a_service_may_run_on_several_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostbyname", lambda host: f"10.0.0.{host[-1]}")
    monkeypatch.setattr(module, "own_address", lambda other: f"towards {other}")
    held = allocation(("g1", "g2"), ("s3", "s4", "s5", "s6"), ("d7", "d8"))
    stated = two_for_a_service(hosts=2)
    assert roles_for(on_two(served()), stated) == ROLES
    assert "--nodes=4" in JobRequest("run", stated, ROLES).words
    names = ("g1", "g2", "s3", "s4", "s5", "s6", "d7", "d8")
    first, second = teams_of(held, described(*names), stated)
    assert (first.name, first.described, second.name) == ("s3", "s3.rack", "s5")
    assert first.hosts == ["g1", "s3", "d7", "s4"]
    assert (first.further, second.places_beside) == ([], {"service-2": "s6.rack"})
    place = second.placed(served()).places["service-2"]
    assert (place.host, place.address, place.clock) == ("s6", "10.0.0.6", "measured")
    assert place.launcher[:3] == ["srun", "--jobid=7", "--het-group=1"]
    # A team needs all hosts of its service.
    assert [one.name for one in teams_of(held, described(*names[:-3], "d7", "d8"), stated)] == [
        "s3"
    ]


def test_a_plan_for_other_hosts_of_a_service_is_refused() -> None:
    said = r"\[roles.service\] has 2 `nodes` .*, but the run began with 1: state `nodes = 1`, or"
    with pytest.raises(UserMistake, match=said):
        roles_for(served(), two_for_a_service())
    with pytest.raises(UserMistake, match=r"has 1 `nodes` .*, but the run began with 2: state"):
        roles_for(on_two(served()), machines(*ROLES))
    with pytest.raises(UserMistake, match=r"a program such as .* runs on a single host: leave"):
        roles_for(small_plan(), two_for_a_service())


def test_further_generators_are_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostbyname", lambda host: f"10.0.0.{host[-1]}")
    monkeypatch.setattr(module, "own_address", lambda other: f"towards {other}")
    held = allocation(("g1", "g4"), ("s2",), ("d3",))
    stated = machines(*ROLES)
    roles = {**stated.roles, "generator": Needs(nodes=2)}
    stated = stated.model_copy(update={"roles": roles})
    (team,) = teams_of(held, described("g1", "g4", "s2", "d3"), stated)
    place = team.placed(served()).places["generator-2"]
    assert (place.host, place.address, place.clock) == ("g4", "10.0.0.4", "measured")
    # A team that was written before there could be several generators has one.
    assert Team.model_validate_json(team.model_dump_json(exclude={"further"})).further == []


def test_too_few_hosts_are_one_line() -> None:
    held = allocation(("g1",), ("s1",), ("d1",))
    with pytest.raises(
        UserMistake, match="a host for each of the roles generator, service, database"
    ):
        teams_of(held, described("g1", "s1"), machines(*ROLES))


def test_services_and_databases_are_placed_by_their_role(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostbyname", lambda host: f"10.0.0.{host[-1]}")
    monkeypatch.setattr(module, "own_address", lambda other: f"towards {other}")
    monkeypatch.setenv("SLURM_CONF", "/etc/own.conf")
    held = allocation(("g1",), ("s2",), ("d3",))
    (team,) = teams_of(held, described("g1", "s2", "d3"), machines(*ROLES))
    plan = served()
    placed = team.placed(plan)
    (cell,) = [one for one in placed.cells if one.id == CELL]
    assert cell.service is not None
    assert cell.service.database is not None
    assert (cell.factors.place, cell.service.database.place) == ("service", "database")
    assert {name: (one.host, one.address) for name, one in placed.places.items()} == {
        "service": ("s2", "10.0.0.2"),
        "database": ("d3", "10.0.0.3"),
        LOCAL: ("", "towards 10.0.0.2"),
    }
    assert placed.places["service"].launcher[:3] == ["env", "SLURM_CONF=/etc/own.conf", "srun"]
    assert placed.places["service"].clock == "measured"
    programs = [one for one in placed.cells if one.service is None]
    assert programs == [one for one in plan.cells if one.service is None]


def test_traffic_goes_by_the_stated_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    roles = {role: Needs(interface="ib0") for role in ROLES}
    stated = machines(*ROLES).model_copy(update={"roles": roles})
    addresses = {name: {"eth0": "10.0.0.9", "ib0": f"10.1.0.{name[-1]}"} for name in NAMES}

    def known(names: list[str]) -> dict[str, KnownHost]:
        host = honest_run().host
        return {name: KnownHost(host=host, addresses=addresses[name]) for name in names}

    monkeypatch.setattr(module, "known_hosts", known)
    held = allocation(("g1",), ("s2",), ("d3",))
    (team,) = teams_of(held, described(*NAMES), stated)
    placed = team.placed(served()).places
    assert {name: one.address for name, one in placed.items()} == {
        "service": "10.1.0.2",
        "database": "10.1.0.3",
        LOCAL: "10.1.0.1",
    }
    del addresses["d3"]["ib0"]
    with pytest.raises(UserMistake, match=r"d3 \(database\) has no interface ib0 .*: eth0\)"):
        teams_of(held, described(*NAMES), stated)


def test_the_own_address_is_that_of_the_way_to_another_host() -> None:
    assert own_address("127.0.0.9") == "127.0.0.1"


def test_a_host_that_nobody_can_name_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: str) -> str:
        raise OSError(-2, "Name or service not known")

    monkeypatch.setattr(socket, "gethostbyname", unknown)
    held = allocation(("g1",), ("s2",), ("d3",))
    (team,) = teams_of(held, described("g1", "s2", "d3"), machines(*ROLES))
    with pytest.raises(UserMistake, match=r"does not know the address of s2 \(service\)"):
        team.placed(served())


def test_clocks_that_no_service_keeps_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"g1": True, "s2": False, "d3": None}

    def known(names: list[str]) -> dict[str, KnownHost]:
        host = honest_run().host
        return {
            name: KnownHost(host=host.model_copy(update={"clock_kept": kept[name]}))
            for name in names
        }

    monkeypatch.setattr(module, "known_hosts", known)
    held = allocation(("g1",), ("s2",), ("d3",))
    assert unkept_clocks(teams_of(held, described(*NAMES), machines(*ROLES))) == ["s2"]
    alone = Team(members={"service": Member(host="s2", launcher=[])}, described="s2")
    assert unkept_clocks([alone]) == []  # a single clock


def test_a_role_without_the_runtime_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = served()
    runtime = next(one.runtime for one in plan.variants if one.name == FASTIFY.variant)
    known = {"s2": KnownHost(host=honest_run().host, missing_runtimes=[runtime, "another"])}
    monkeypatch.setattr(module, "known_hosts", lambda _: known)
    team = Team(members={"service": Member(host="s2", launcher=[])}, described="s2")
    with pytest.raises(UserMistake, match=rf"s2 \(service\) lacks {runtime}: install it there"):
        require_runtimes(plan, [team])
    known["s2"] = known["s2"].model_copy(update={"missing_runtimes": ["another"]})
    require_runtimes(plan, [team])


def test_each_host_of_a_service_needs_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = served()
    runtime = next(one.runtime for one in plan.variants if one.name == FASTIFY.variant)
    lacks = KnownHost(host=honest_run().host, missing_runtimes=[runtime])
    monkeypatch.setattr(module, "known_hosts", lambda names: {"s4": lacks} if "s4" in names else {})
    members = {"service": Member(host="s3", launcher=[])}
    beside = {"s4.rack": Member(host="s4", launcher=[])}
    team = Team.model_validate({"members": members, "described": "s3.rack", "beside": beside})
    with pytest.raises(UserMistake, match=rf"s4 \(service\) lacks {runtime}"):
        require_runtimes(plan, [team])
