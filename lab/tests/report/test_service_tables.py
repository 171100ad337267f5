"""The tables of services say what the model holds, and nothing that is void."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evidence.honest_services import (
    FASTIFY,
    SERVICES,
    VERTX,
    ServiceRun,
    honest_services,
    service_cell,
    services_of,
)
from evidence.records import Records
from evidence.test_honest_services import drifting
from report.test_table import HOSTILE
from result.test_run import result_of
from result.test_service import bending, beyond, probe, service_of
from runfair.evidence.load import Probe
from runfair.formats.execution import Outcome
from runfair.formats.service import (
    CapacityFound,
    Objective,
    ServicePoint,
    SystemCallCounts,
)
from runfair.report.markdown import markdown
from runfair.report.page.operating_point import operating_points
from runfair.report.service_tables import COST, LATENCY, service_tables
from runfair.wording import quantity
from runfair.wording.naming import name_of, objective_text
from runfair.wording.table import Row, Table
from runfair.wording.text import plain
from simulated.requests import MILLISECOND, SECOND
from simulated.service_load import Load, Relayed

NAMES = [f"{one.name} ({one.variant})" for one in SERVICES]


def tables_of(run: Records) -> dict[str, Table]:
    """By the last part of their titles."""
    return {one.title.rsplit(" · ", 1)[1]: one for one in service_tables(result_of(run))}


def row_of(table: Table, name: str) -> dict[str, str]:
    row = next(row for row in table.rows if row.cells[0] == name)
    return dict(zip(table.columns, row.cells, strict=True))


def test_only_services_that_are_compared_share_a_table() -> None:
    """Two tables of an experiment ask for the same rate, one of them on fewer connections and with
    a database that is further away."""
    run = honest_services().with_database(*SERVICES)
    (cell,) = (one for one in run.plan.cells if one.id == service_cell(FASTIFY))
    assert cell.service is not None and cell.service.database is not None
    point = cell.service.point.model_copy(update={"connections": 5})
    far = cell.service.database.model_copy(update={"round_trip_ns": 20 * MILLISECOND})
    service = cell.service.model_copy(update={"point": point, "database": far})
    changed = services_of(run.with_cell(cell.id, service=service))
    latency = [one for one in service_tables(result_of(changed)) if one.title.endswith("latency")]
    said = "pay · cards · small · 2000/s, objective p99 < 25.0 ms"
    assert [(one.title, [row.cells[0] for row in one.rows]) for one in latency] == [
        (
            f"{said}, 5 connections, round trip to the database 20 ms · latency",
            [NAMES[0]],
        ),
        (
            f"{said}, 200 connections, round trip to the database 1 ms · latency",
            NAMES[1:],
        ),
    ]
    # A table during the run has the same title.
    plan = changed.plan
    for one in plan.cells:
        assert plan.of_group(one).distinction(one) == plan.distinction(one) != []


def failing(load: Load) -> Load:
    return load.failing(0.1)


def test_latencies_and_costs_with_the_objective_and_the_verdict() -> None:
    tables = tables_of(honest_services())
    latency, cost = tables["latency"], tables["cost"]
    assert latency.title == "pay · cards · small · 2000/s, objective p99 < 25.0 ms · latency"
    assert latency.columns == (
        *("service", "p50", "p90", "p99", "p99.9", "p99.99", "max", "objective", "verdict"),
    )
    assert cost.columns == ("service", "CPU/request", "memory", "first answer", "verdict")
    assert [row.cells[0] for row in latency.rows] == NAMES
    for table in (latency, cost):
        assert {row.state for row in table.rows} == {"fair"}
        assert table.notes == ()
    fastify = row_of(latency, NAMES[0])
    assert fastify["p50"].startswith("2.0")
    assert fastify["p99"].endswith("]")
    assert fastify["objective"] == "meets it"
    assert row_of(cost, NAMES[1])["memory"] == "300 MiB"
    assert row_of(cost, NAMES[1])["first answer"] == "900 ms"


@pytest.mark.parametrize("change", [failing, beyond], ids=["failing", "saturated"])
def test_a_void_figure_is_no_number_in_any_table(change: object) -> None:
    assert callable(change)
    run = honest_services().with_loads(FASTIFY, change)
    tables = tables_of(run)
    row = row_of(tables["latency"], NAMES[0])
    assert {row[name] for name in ("p50", "p90", "p99", "p99.9", "p99.99", "max")} == {"void"}
    assert row["objective"] == "misses it"
    assert row["verdict"].startswith("void (1)")
    assert "meets it" in row_of(tables["latency"], NAMES[1])["objective"]
    assert any(") fault [" in note for note in tables["cost"].notes)


def counting(cycles: int, counted_share: float = 1.0) -> ServiceRun:
    """One of the services has its cycles counted."""
    return honest_services().with_loads(
        FASTIFY, lambda one: replace(one, cycles=cycles, counted_share=counted_share)
    )


@pytest.mark.parametrize("counted_share", [1.0, 0.6])
def test_cycles_of_a_request_where_they_are_counted(counted_share: float) -> None:
    table = tables_of(counting(1_200_000, counted_share))["processor cycles per request"]
    assert table.columns == ("service", "cycles/request", "instructions", "IPC", "verdict")
    (row,) = table.rows
    assert row.cells == (NAMES[0], "1.20 million", "600,000", "0.500", "fair")


def relayed(late_ns: int, *, of_network: bool = False) -> ServiceRun:
    """One of the services has a database, behind a relay that is late."""
    run = honest_services().with_loads(
        FASTIFY,
        lambda one: replace(one, relayed=Relayed(np.full(len(one.requests.kind), late_ns))),
    )
    return run.with_database(*SERVICES, of_network=of_network)


def test_what_the_relay_adds_and_costs() -> None:
    table = tables_of(relayed(40_000))["relay"]
    assert table.columns[1:-1] == (
        *("round trip", "queries/request", "p50 of the relay's delay", "p99", "its CPU/query"),
    )
    (row,) = table.rows
    shown = ("1.00 ms", "1.00", "40.0 µs", "40.0 µs", "30.0 µs", "fair")
    assert row.cells == (NAMES[0], *shown)
    near = tables_of(relayed(40_000, of_network=True))["relay"]
    assert row_of(near, NAMES[0])["round trip"] == "network"
    late = tables_of(relayed(400_000))
    assert row_of(late["relay"], NAMES[0])["verdict"].startswith("flagged (")
    assert any(
        "of the latency may come from runfair's relay" in note for note in late["cost"].notes
    )
    assert "relay" not in tables_of(honest_services())
    assert "relay" not in tables_of(relayed(40_000).with_loads(FASTIFY, failing))


def test_no_cycles_where_nobody_counted_or_too_seldom() -> None:
    for run in (honest_services(), counting(1_200_000, 0.4)):
        assert "processor cycles per request" not in tables_of(run)
    void = counting(1_200_000).with_loads(FASTIFY, failing)
    assert "processor cycles per request" not in tables_of(void)


def test_other_instances_than_all_have_are_said() -> None:
    run = honest_services()
    first = run.plan.cells[0]
    assert first.service is not None
    four = first.service.model_copy(update={"instances": 4})
    names = [row.cells[0] for row in tables_of(run.with_cell(first.id, service=four))["cost"].rows]
    assert f"{NAMES[0]}, 4 instances" in names
    both = [
        one.model_copy(update={"factors": one.factors.model_copy(update={"instances": 4})})
        for one in run.with_cell(first.id, service=four).plan.cells
    ]
    latency = tables_of(run.with_plan(cells=both[:1]))["latency"]
    assert ", 4 instances, 1 processor · latency" in latency.title


def test_every_title_names_the_threads_and_the_factors() -> None:
    run = relayed(40_000)
    cells = [one.model_copy(update={"threads": 2}) for one in run.plan.cells]
    result = result_of(run.with_plan(cells=cells))
    assert all(", 2 threads, 1 processor" in one.title for one in service_tables(result))
    (point,) = operating_points(run.evidence(), result)
    assert point.title.endswith(", 2 threads, 1 processor")


def test_a_void_cost_is_none_either() -> None:
    cost = row_of(tables_of(honest_services().with_loads(FASTIFY, failing))["cost"], NAMES[0])
    assert cost["CPU/request"] == "void"
    assert cost["memory"] == "90.0 MiB"


def test_a_void_start_is_not_told_beside_the_warm_up() -> None:
    """It was to run without its compiler, and ran with it: another variant's figures."""
    run = honest_services().with_variant(FASTIFY.variant, settings={"jit": False})
    tables = tables_of(run.with_effective(service_cell(FASTIFY), {"jit": True}))
    assert row_of(tables["cost"], NAMES[0])["first answer"] == "void"
    (starts,) = [one for one in tables.values() if "first good answer" in one.columns]
    assert row_of(starts, NAMES[0])["first good answer"] == "void"
    assert row_of(starts, NAMES[1])["first good answer"] == "900 ms"


def test_what_others_lengthened_is_at_most_what_was_measured() -> None:
    """Others took a fifth of the processor meanwhile."""
    run = honest_services().with_launch_share(service_cell(FASTIFY), "foreign_ns", 0.2)
    tables = tables_of(run)
    latency, cost = (row_of(tables[name], NAMES[0]) for name in ("latency", "cost"))
    quiet = result_of(honest_services()).cells[0].figures
    for figure in LATENCY:
        interval = quiet[figure].interval
        assert interval is not None
        assert latency[name_of(figure)] == f"≤ {quantity.duration(interval[1])}*"
    assert cost["first answer"] == "≤ 400 ms*"
    assert cost["CPU/request"].startswith("300 µs* [")
    assert cost["memory"] == "90.0 MiB"
    assert latency["objective"] == "meets it"
    assert latency["verdict"].startswith("flagged (")
    other = row_of(tables["latency"], NAMES[1])
    assert (other["p50"], other["verdict"]) == ("1.50 ms", "fair")


def test_a_limit_that_misses_the_objective_tells_nothing_of_what_is_below() -> None:
    """Its p99 is at most 4.16 ms, which may be below the 3 ms that are asked for, or above."""
    run = honest_services().with_point(objective=Objective(percentile="p99", limit_ns=3_000_000))
    busy = run.with_launch_share(service_cell(FASTIFY), "foreign_ns", 0.2)
    assert row_of(tables_of(run)["latency"], NAMES[0])["objective"] == "misses it"
    assert row_of(tables_of(busy)["latency"], NAMES[0])["objective"] == "unclear"


def test_a_flagged_figure_has_a_star_and_a_note() -> None:
    """Who failed may have been the fastest or the slowest: that moves a tail, and hides its end."""
    run = honest_services().with_loads(FASTIFY, lambda one: one.failing(0.0005))
    tables = tables_of(run)
    row = row_of(tables["latency"], NAMES[0])
    assert row["p50"] == "1.99 to 2.01 ms"  # hardly wider than its interval, so fair
    assert row["p99.9"] == "5.45 to 6.13 ms*"
    assert (row["p99.99"], row["max"]) == ("≥ 6.49 ms*", "≥ 6.68 ms*")
    assert row_of(tables["cost"], NAMES[0])["CPU/request"].startswith("300 µs* [")
    assert row["verdict"] == "flagged (1)(2)"
    note, rest = tables["cost"].notes
    assert note.startswith("(1) warning [errors] ")
    assert "[errors] p99.99, max: " in rest
    assert "fastify: 144 of 288,000 requests failed: wrong status 24" in note


def test_notes_are_said_once_for_both_tables() -> None:
    run = honest_services().with_loads(FASTIFY, failing).with_loads(VERTX, failing)
    tables = tables_of(run)
    assert tables["latency"].notes == ()
    assert sum("[errors]" in note for note in tables["cost"].notes) == 1
    assert row_of(tables["cost"], NAMES[0])["verdict"] == "void (1)"


def test_what_failed_is_counted() -> None:
    lost = Outcome(state="failed", reason="killed")
    run = honest_services().with_records(service_cell(FASTIFY), 2, outcome=lost)
    assert row_of(tables_of(run)["latency"], NAMES[0])["verdict"].endswith(
        "2 of 6 executions failed"
    )


def test_what_did_not_run_says_why() -> None:
    run = honest_services().with_cell(service_cell(VERTX), unsupported=f"no Java: {HOSTILE}")
    row = row_of(tables_of(run)["latency"], NAMES[1])
    assert row["verdict"] == plain(f"unsupported: no Java: {HOSTILE}")
    assert {row[name] for name in ("p50", "p99", "max", "objective")} == {""}
    never = replace(honest_services(), executions=())
    assert row_of(tables_of(never)["cost"], NAMES[0])["verdict"] == "not measured"


@pytest.mark.parametrize(
    ("objective", "text"),
    [
        (Objective(percentile="p99_9", limit_ns=1_500_000_000), "p99.9 < 1.50 s"),
        (Objective(percentile="p50", limit_ns=250_000), "p50 < 250 µs"),
    ],
)
def test_an_objective_reads_as_it_was_written(objective: Objective, text: str) -> None:
    assert objective_text(objective) == text


def test_without_an_objective_none_is_answered() -> None:
    tables = tables_of(honest_services().with_point(objective=None))
    assert "objective" not in tables["latency"].title
    assert row_of(tables["latency"], NAMES[0])["objective"] == "—"
    assert any("the experiment states no objective" in note for note in tables["cost"].notes)


def test_other_rates_stand_in_tables_of_their_own() -> None:
    run = honest_services()
    (first, second) = run.plan.cells
    assert second.service is not None
    point = second.service.point.model_copy(update={"rate_per_s": 4000.0})
    other: ServicePoint = second.service.model_copy(update={"point": point})
    both = run.with_plan(cells=[first, second.model_copy(update={"service": other})])
    titles = [one.title for one in service_tables(result_of(both))]
    assert sum("2000/s" in title for title in titles) == sum("4000/s" in title for title in titles)


def curve(*probes: Probe) -> tuple[Row, ...]:
    return tables_of(honest_services().with_probes(FASTIFY, *probes))["curve"].rows


def test_a_curve_is_a_row_a_rate() -> None:
    rows = curve(probe(1000, 5 * MILLISECOND), probe(4000, 90 * MILLISECOND))
    assert [row.cells[1] for row in rows] == ["1000/s", "4000/s"]
    assert [row.cells[3] for row in rows] == ["5.00 ms", "90.0 ms"]
    assert {row.state for row in rows} == {"fair"}


def test_where_a_curve_bends_is_said_below_it() -> None:
    run = bending(3_000, 4_000, 5_000, 7_000, saturated_from=7_000)
    assert tables_of(run)["curve"].notes == (
        (
            f"{NAMES[0]}: the knee (the rate above which latency grows faster than "
            "throughput) is at 4,000/s (found from 5 rates); the service is saturated at "
            "rates from 7,000/s on"
        ),
    )
    few = honest_services().with_probes(FASTIFY, probe(4000, 5 * MILLISECOND))
    assert tables_of(few)["curve"].notes == (
        f"{NAMES[0]}: no knee (rate above which latency grows faster than throughput) is shown, "
        "because only 2 rates were measured, and at least 4 are needed",
    )


def test_a_flagged_point_of_a_curve_has_a_star() -> None:
    flagged, fair = curve(probe(1000, 5 * MILLISECOND, "flagged"), probe(4000, 90 * MILLISECOND))
    assert flagged.cells[3] == "5.00 ms*"
    assert all(text.endswith("*") for text in flagged.cells[2:5])
    assert fair.cells[3] == "90.0 ms"


def test_a_void_point_of_a_curve_is_no_number() -> None:
    (row,) = curve(probe(4000, 5 * MILLISECOND, "void"))
    assert row.cells[2:] == ("void", "void", "void", "—", "void")
    (withheld,) = curve(probe(4000, None))
    assert withheld.cells[3] == "—"
    assert "curve" not in tables_of(honest_services())


def test_capacity_lies_between_two_rates() -> None:
    run = honest_services()
    for met, missed, words in (
        (1500.0, 1800.0, ("1,500/s", "1,800/s")),
        (None, 500.0, ("no rate", "500/s")),
        (9000.0, None, ("9,000/s", "no rate")),
    ):
        found = CapacityFound(
            highest_met_per_s=met, lowest_missed_per_s=missed, confidence=0.95, observations=4
        )
        table = tables_of(run.with_served(FASTIFY, capacity=found))["capacity"]
        (row,) = table.rows
        assert row.cells[:3] == (NAMES[0], *words)
        assert row_of(table, NAMES[0])["confidence"] == "95.0%"
        assert "24" in row.cells
        assert row.cells[-2:] == ("in 6 executions", "fair")
        (note,) = table.notes
        assert "measurements are independent of each other" in note
    assert "capacity" not in tables_of(run)


def test_every_table_has_a_verdict_in_its_last_column() -> None:
    found = CapacityFound(
        highest_met_per_s=3_000, lowest_missed_per_s=3_200, confidence=0.95, observations=4
    )
    run = honest_services().with_probes(FASTIFY, probe(4000, 5 * MILLISECOND))
    run = run.with_served(FASTIFY, capacity=found)
    lost = Outcome(state="failed", reason="killed")
    lacking = run.with_records(service_cell(FASTIFY), 2, outcome=lost)
    for spoilt, state in ((run, "fair"), (lacking, "flagged")):
        tables = tables_of(spoilt)
        assert set(tables) == {
            *(
                "latency",
                "cost",
                "a request",
                "warm-up",
                "collector",
                "pauses",
                "curve",
                "capacity",
            ),
        }
        for table in tables.values():
            row = next(row for row in table.rows if row.cells[0] == NAMES[0])
            assert table.columns[-1] == "verdict"
            assert (row.cells[-1].split()[0], row.state) == (state, state)
        words = {row_of(tables[name], NAMES[0])["verdict"] for name in ("latency", "pauses")}
        assert words == {"fair" if state == "fair" else "flagged (1)(2) 2 of 6 executions failed"}


def test_the_levels_that_a_warm_up_went_through() -> None:
    """One is steady at once; the other takes three times 1.5 ms at first."""
    tables = tables_of(honest_services())
    flat, warming = (row_of(tables["warm-up"], name) for name in NAMES)
    assert (flat["changes"], warming["changes"]) == ("0", "1")
    assert flat["p50 at first"] == flat["at last"]
    first_ms, last_ms = (_least(warming[name]) for name in ("p50 at first", "at last"))
    assert first_ms == pytest.approx(4.5, rel=0.05)
    assert last_ms == pytest.approx(1.5, rel=0.05)
    for one in service_of(honest_services(), VERTX).warm_up:
        assert [level.from_ns for level in one.levels] == [0, VERTX.warm_up_seconds * SECOND]
    void = row_of(tables_of(honest_services().with_loads(FASTIFY, failing))["warm-up"], NAMES[0])
    assert {void[name] for name in ("p50 at first", "at last", "changes")} == {"void"}


def _least(text: str) -> float:
    """`1.48 ms to 1.52 ms`."""
    return float(text.partition(" ")[0])


def test_what_never_became_steady_has_no_steady_point() -> None:
    tables = tables_of(honest_services().with_loads(FASTIFY, drifting))
    row = row_of(tables["warm-up"], NAMES[0])
    assert (row["steady after"], row["warm-up"]) == ("—", "no steady state")
    assert row["first good answer"] == "400 ms"
    assert _least(row["at last"]) > 1.5 * _least(row["p50 at first"])
    assert row["verdict"] == "flagged (1)"
    latency = row_of(tables["latency"], NAMES[0])
    # Its latency only rises: how far it would go on, nobody knows.
    assert latency["p50"].startswith("≥ ") and latency["p50"].endswith("*")
    assert _least(latency["p50"].removeprefix("≥ ")) < 3.48


def test_pauses_are_void_with_the_cpu_time_and_their_share_of_the_tail_with_p99() -> None:
    wrong = row_of(tables_of(honest_services().with_loads(FASTIFY, failing))["pauses"], NAMES[0])
    told = ("pauses/s", "paused", "longest", "of the slowest 1%", "by chance")
    assert {wrong[column] for column in told} == {"void"}
    thinned = honest_services().with_loads(FASTIFY, lambda one: one.thinned(2_000))
    row = row_of(tables_of(thinned)["pauses"], NAMES[0])
    assert (row["of the slowest 1%"], row["by chance"]) == ("void", "void")
    assert row["longest"] == "3.00 ms"
    assert row["verdict"].startswith("void (")


def test_what_a_request_allocates() -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: replace(one, allocated_per_s=4e6))
    run = run.with_loads(VERTX, lambda one: replace(one, pauses_ns=None), 6)
    row = row_of(tables_of(run)["collector"], NAMES[0])
    # 4,000,000 / 2,000 requests, which is 1.95 KiB.
    assert row["allocated/request"] == "1.95 KiB"
    assert row["allocated/s"] == "3.81 MiB"
    assert (row["allocation"], row["verdict"]) == ("", "fair")
    assert row["collections/s"].startswith("0.8")
    assert (
        row_of(tables_of(run)["collector"], NAMES[1])["allocation"] == "no runtime events available"
    )
    silent = row_of(tables_of(honest_services())["collector"], NAMES[0])
    assert (silent["allocated/s"], silent["allocation"]) == ("—", "this runtime does not report it")


def test_a_requests_bytes_both_ways() -> None:
    """Of each request that was sent, and of the answers whose CPU time stands beside them."""
    row = row_of(tables_of(honest_services())["a request"], NAMES[0])
    assert (row["request"], row["answer"]) == ("100 B", "400 B")


def test_system_calls_by_kind_where_they_were_counted() -> None:
    counts = SystemCallCounts(requests=200, read=400, write=210, wait=200, lock=0, other=30)
    run = honest_services().with_served(FASTIFY, system_calls=counts)
    table = tables_of(run)["system calls per request"]
    assert table.columns == (
        *("service", "all", "read", "write", "wait", "lock", "other", "verdict"),
    )
    (row,) = table.rows
    assert row.cells == (NAMES[0], "4.20", "2.00", "1.05", "1.00", "0", "0.150", "fair")
    assert "system calls per request" not in tables_of(honest_services())
    wrong = run.with_loads(FASTIFY, failing)
    assert "system calls per request" not in tables_of(wrong)


def test_names_from_files_are_text() -> None:
    """A service's name, its runtime and what an answer complained of come from files."""
    run = honest_services().with_loads(
        FASTIFY, lambda one: replace(one.failing(0.1), complaint=HOSTILE)
    )
    hostile = run.with_cell(service_cell(FASTIFY), tier=HOSTILE, workload=HOSTILE)
    written = markdown(result_of(hostile))
    assert "[errors]" in written.replace("\\", "")
    assert "<script>" not in written
    assert "\u202e" not in written
    assert "\n# title" not in written
    for table in service_tables(result_of(hostile)):
        for text in (table.title, *table.notes, *(one for row in table.rows for one in row.cells)):
            assert text == plain(text)


def test_every_figure_of_a_service_is_in_a_table() -> None:
    cell = result_of(honest_services()).cells[0]
    assert {*LATENCY, *COST} == set(cell.figures)
