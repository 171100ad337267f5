"""`[[peak]]` becomes cells: every framework at each number of connections."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from experiment.service_plans import BUN, CPYTHON, NODE, plan_of
from runfair.errors import UserMistake
from runfair.experiment import planning, service_planning
from runfair.formats.peak import REQUESTS, Classification, Peak
from runfair.formats.plan import Cell
from runfair.machine.processors import Assignment

pytestmark = pytest.mark.usefixtures("service_machine")

PEAK = """baseline = "javascript"
[[peak]]
benchmark = "techempower"
workload = "single-query"
services = ["node-http"]
connections = [16, 64]
"""


def test_each_number_of_connections_is_a_cell(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PEAK)
    assert [cell.id for cell in plan.cells] == [
        f"techempower/single-query/small/peak/1t/{count}c/node-http/{NODE.name}"
        for count in (16, 64)
    ]
    few, many = plan.cells
    assert few.group != many.group
    assert (few.kind, few.mode, few.tier, few.service) == ("peak", "steady", "node-http", None)
    assert few.classification == Classification(
        approach="platform", database="raw", implementation="realistic"
    )
    assert few.peak is not None
    assert (few.peak.connections, few.peak.pipeline) == (16, 1)
    assert few.digest == few.peak.digest == few.peak.traffic_sha256[:16]
    assert few.operations == {"requests": REQUESTS}
    assert len(plan.executions) == 2 * plan.effort.executions


def test_the_database_has_no_relay(
    tmp_path: Path, steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_relay() -> None:
        raise AssertionError("a relay is built")

    monkeypatch.setattr(service_planning, "relay", no_relay)
    plan = plan_of(tmp_path, PEAK, steps)
    peak = plan.cells[0].peak
    assert peak is not None
    assert peak.database is not None
    assert (peak.database.round_trip_ns, peak.database.url) == (0, "")
    assert [one.name for one in peak.database.tables] == ["world", "fortune"]
    assert "build of the relay" not in steps
    plain = plan_of(tmp_path, PEAK.replace("single-query", "json")).cells[0].peak
    assert plain is not None
    assert plain.database is None


def test_pipelined_requests_are_another_cell(tmp_path: Path) -> None:
    (plain, _, deep, _) = plan_of(
        tmp_path, PEAK + PEAK.partition("\n")[2] + "pipeline = 16\n"
    ).cells
    assert (plain.peak and plain.peak.pipeline, deep.peak and deep.peak.pipeline) == (1, 16)
    assert "/16c/pipeline=16/" in deep.id
    assert plain.group != deep.group


def test_frameworks_of_two_classes_are_not_compared(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PEAK.replace('["node-http"]', '["node-http", "fastify"]'))
    groups = {(cell.tier, cell.group) for cell in plan.cells}
    assert len({group for _, group in groups}) == 4


def test_the_plan_has_the_scores_of_its_suite(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PEAK)
    assert [one.name for one in plan.scores["techempower"]] == ["techempower", "unweighted"]
    # A part of the run that is complete early has no scores: they need all tests.
    assert plan.of_group(plan.cells[0]).scores == {}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("techempower", "techempowr", "techempowr"),
        ("single-query", "single", "single"),
        ("node-http", "nodehttp", "nodehttp"),
    ],
)
def test_a_wrong_name_is_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(UserMistake) as refused:
        plan_of(tmp_path, PEAK.replace(old, new))
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_framework_without_the_test_stays_in_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    families = {"gcc": SimpleNamespace(default="", install="install gcc")}
    found = (SimpleNamespace(families=families), None)
    monkeypatch.setattr(service_planning, "recently_discovered", lambda: found)
    both = PEAK.replace('["node-http"]', '["node-http", "epoll"]')
    cells = [cell for cell in plan_of(tmp_path, both).cells if cell.tier == "epoll"]
    assert [cell.absent for cell in cells] == ["unsupported: the floor has no database"] * 2
    assert all(cell.declared_absent for cell in cells)


def test_a_framework_without_pipelining_stays_in_the_table(tmp_path: Path) -> None:
    section = PEAK.replace("node-http", "bun").replace("[16, 64]", "[16]")
    deep = section.partition("\n")[2] + "pipeline = 16\n"
    text = section + deep + deep.replace("single-query", "plaintext")
    alone, pipelined, without_database = plan_of(tmp_path, text, runtimes=(BUN.name,)).cells
    assert pipelined.absent.startswith("unsupported: Bun closes a connection")
    assert (alone.absent, without_database.absent) == ("", "")


def test_sections_of_other_profiles_are_left_out(tmp_path: Path) -> None:
    later = PEAK.partition("\n")[2].replace("[16, 64]", "[256]") + 'profiles = ["publish"]\n'
    plan = plan_of(tmp_path, PEAK + later)
    assert [cell.peak.connections for cell in plan.cells if cell.peak] == [16, 64]


def test_another_language_has_its_own_variant(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, PEAK.replace("node-http", "fastapi"), runtimes=(CPYTHON.name,))
    assert {cell.variant for cell in plan.cells} == {CPYTHON.name}


@pytest.mark.parametrize(
    ("workload", "lab", "said"),
    [
        (
            "single-query",
            (1,),
            ["the load generator and the database share processor 1, so each may delay the other"],
        ),
        ("single-query", (1, 2), []),
        ("json", (1,), []),
    ],
)
def test_who_has_to_share_a_processor_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workload: str,
    lab: tuple[int, ...],
    said: list[str],
) -> None:
    monkeypatch.setattr(planning, "assign", lambda *_: Assignment((0,), lab, ""))
    assert plan_of(tmp_path, PEAK.replace("single-query", workload)).limitations == said


def loop(cell: Cell) -> Peak:
    assert cell.peak is not None
    return cell.peak


BASELINE = 'baseline = "mine"\n'


def requesting(traffic: Path) -> str:
    """A [[peak]] of the user's service with the user's requests."""
    return f'[[peak]]\ntraffic = "{traffic}"\nservices = ["mine"]\nconnections = [8]\n'


OWN = """
[services.mine]
command = ["true", "{port}"]
ready = "/health"
language = "javascript"
"""
CLASSIFIED = """
[services.mine.classification]
approach = "platform"
database = "raw"
implementation = "realistic"
"""


def test_a_service_of_the_user_is_compared_with_frameworks_of_its_class(tmp_path: Path) -> None:
    both = PEAK.replace('["node-http"]', '["node-http", "mine"]').replace("16, 64", "16")
    framework, mine = plan_of(tmp_path, both + OWN + CLASSIFIED).cells
    assert mine.id == "techempower/single-query/small/peak/1t/16c/own/mine"
    assert (mine.kind, mine.tier, mine.variant, mine.language) == (
        *("peak", "own", "mine"),
        "javascript",
    )
    assert mine.artefact.command[1:] == ["{port}"]
    assert (mine.hosting.kind, mine.hosting.ready.path) == ("command", "/health")
    assert framework.hosting.kind == "program"
    assert loop(mine).database == loop(framework).database
    assert mine.group == framework.group
    framework, unclassified = plan_of(tmp_path, both + OWN).cells
    assert unclassified.group != framework.group
    with pytest.raises(UserMistake, match="is named 'mime'; choose from mine"):
        plan_of(tmp_path, both.replace('"mine"', '"mime"') + OWN)


def test_a_peak_may_send_the_requests_of_the_user(tmp_path: Path) -> None:
    traffic = tmp_path / "shop.jsonl"
    traffic.write_text('{"path": "/"}\n')
    text = BASELINE + requesting(traffic)
    (mine,) = plan_of(tmp_path, text + OWN).cells
    assert (mine.benchmark, mine.workload, loop(mine).database) == ("shop", "traffic", None)
    assert loop(mine).traffic == str(traffic)
    with pytest.raises(UserMistake, match="no service is named 'fastify'"):
        plan_of(tmp_path, text.replace('["mine"]', '["fastify"]') + OWN)
    assert loop(mine).traffic_order == "random"
    more = text + 'workload = "json"\n' + OWN
    with pytest.raises(UserMistake, match="`workload` applies only to a `benchmark`"):
        plan_of(tmp_path, more)
    with pytest.raises(UserMistake, match="state the requests either by a `benchmark`"):
        plan_of(tmp_path, text.replace(f'traffic = "{traffic}"\n', "") + OWN)


@pytest.mark.parametrize(
    ("service", "said"),
    [
        ('url = "http://127.0.0.1:9"', "starts a service anew for each execution"),
        ('command = ["true", "{port}"]\ninstances = 2', "measures one instance of a service"),
        ('command = ["true", "{database}"]', "the requests of its [[peak]] table have no database"),
        ('command = ["no-such-program"]', "'no-such-program' in `command` was not found"),
    ],
)
def test_a_service_that_a_peak_cannot_measure(tmp_path: Path, service: str, said: str) -> None:
    text = PEAK.replace("single-query", "json").replace("node-http", "mine")
    with pytest.raises(UserMistake) as refused:
        plan_of(tmp_path, f"{text}[services.mine]\n{service}\n")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_two_tables_with_different_requests_are_refused(tmp_path: Path) -> None:
    tables = []
    for name in ("a", "b"):
        traffic = tmp_path / name / "shop.jsonl"
        traffic.parent.mkdir()
        traffic.write_text(f'{{"path": "/{name}"}}\n')
        tables.append(requesting(traffic))
    with pytest.raises(UserMistake, match="measure mine in shop traffic, but with different"):
        plan_of(tmp_path, BASELINE + "".join(tables) + OWN)
    same = plan_of(tmp_path, BASELINE + tables[0] * 2 + OWN)
    assert len(same.cells) == 1


def test_a_peak_has_no_feed(tmp_path: Path) -> None:
    traffic = tmp_path / "shop.jsonl"
    traffic.write_text('{"path": "/${feed:item}"}\n')
    text = BASELINE + requesting(traffic)
    with pytest.raises(UserMistake, match="has no `feed`; write the values into the requests"):
        plan_of(tmp_path, text + OWN)


def test_traffic_that_does_not_exist_is_the_user_s_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"missing\.jsonl: this traffic file does not exist"):
        plan_of(tmp_path, BASELINE + requesting(tmp_path / "missing.jsonl") + OWN)
