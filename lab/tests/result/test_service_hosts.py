"""The result of each host, for a service that ran on several hosts."""

from __future__ import annotations

from evidence.honest_services import FASTIFY, honest_services
from evidence.two_hosts import launched, on_two_hosts
from result.test_service import service_of
from runfair.result.service_hosts import service_hosts

MIB = 2**20


def test_the_share_of_cpu_time_and_the_memory_of_each_host() -> None:
    first, second = service_of(on_two_hosts(), FASTIFY).hosts
    assert (first.host, second.host, first.executions) == ("first", "second", 6)
    assert (first.cpu_share, second.cpu_share) == (0.5, 0.5)
    assert (first.memory_bytes, first.verdict) == (45 * MIB, "fair")
    _, larger = service_of(on_two_hosts(launched(peak_tree_bytes=MIB)), FASTIFY).hosts
    assert larger.memory_bytes == MIB
    assert service_of(honest_services(), FASTIFY).hosts == []


def test_a_void_cost_tells_nothing_of_the_hosts() -> None:
    run = on_two_hosts().evidence()
    (one,) = [each for each in run.services if each.cell.tier == FASTIFY.name]
    assert service_hosts(one.completed, "void") == []
