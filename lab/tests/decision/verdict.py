"""The verdict on a pair of services, and services whose verdict is known by construction."""

from decision.constructed import CRITERIA, service
from runfair.decision.rules import Criteria, Decision, decide
from runfair.decision.sentence import sentence
from runfair.decision.service_cost import ServiceCost
from runfair.formats.decision import Reason


def told(
    baseline: ServiceCost, candidate: ServiceCost, criteria: Criteria = CRITERIA
) -> tuple[Decision, Reason]:
    decision = decide(criteria, baseline, [candidate])[0]
    said = sentence(decision, criteria)
    if decision.reason == "room to spare":
        assert said.startswith("Latency is no reason for a rewrite: ")
    else:
        assert said.startswith(decision.outcome.capitalize() + ": ")
    assert said.endswith(".")
    return decision, decision.reason


CPU_BOUND = service("slow", p99_ms=40, own_cpu_ms=8, run_queue_ms=1, database_ms=0.9)
CPU_FAST = service("fast", p99_ms=9, own_cpu_ms=0.8, run_queue_ms=0.1, database_ms=0.9)
WAITING = service("slow", p99_ms=40, own_cpu_ms=1, database_ms=8, other_ms=1, database_p99_ms=31)
WAITING_FAST = service("fast", p99_ms=32, own_cpu_ms=0.1, database_ms=8, other_ms=1)
BASE = service("base", p99_ms=18, own_cpu_ms=2, database_ms=0.5)
FASTER = service("other", p99_ms=12, own_cpu_ms=1, database_ms=0.5)
MISSING = service("base", p99_ms=30, own_cpu_ms=2, database_ms=0.5)
