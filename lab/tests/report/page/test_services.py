"""Pictures of services against requests whose truth is known."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from evidence.honest_services import (
    FASTIFY,
    OBJECTIVE,
    SECONDS,
    SERVICES,
    VERTX,
    Service,
    ServiceRun,
    honest_services,
    service_cell,
    services_of,
)
from report.page.pages import drawn, picture
from report.page.service_pages import page_of_services
from report.test_service_tables import counting, failing
from result.test_service import cell_of, service_of, truth
from runfair.evidence.load import Probe
from runfair.formats.service import SHARES, CapacityFound, Percentile, SystemCallCounts
from runfair.report.page.contents import Contents
from runfair.report.page.latency_over_time import SILENT
from runfair.report.page.picture import TABLE_MARKS, WIDTH, Columns, rows
from runfair.report.page.rendering import html
from runfair.wording import quantity
from simulated.requests import MILLISECOND, SECOND
from simulated.service_load import Load

COUNTED = SystemCallCounts(requests=200, read=400, write=210, wait=50, lock=0, other=30)
# As Vega writes a line and the bar of a capacity.
LINE = re.compile(r'd="([^"]*)"[^>]*stroke-width="1.6"')
BAR = re.compile(r'translate\(([\d.]+),[^>]*x2="([\d.]+)"[^>]*stroke-width="6"')
PERCENTILES: tuple[Percentile, ...] = ("p50", "p90", "p99")


def name(service: Service) -> str:
    return f"{service.name} ({service.variant})"


def probe(rate_per_s: float, p99_ns: int) -> Probe:
    told: dict[str, int | None] = {"p50": p99_ns // 4, "p99": p99_ns}
    return Probe(rate_per_s, True, told, "fair")


def asked() -> ServiceRun:
    """The honest run with a curve, a capacity and system calls of one of the services."""
    found = CapacityFound(
        highest_met_per_s=3000.0, lowest_missed_per_s=3400.0, confidence=0.95, observations=9
    )
    probes = (probe(1000.0, 9 * MILLISECOND), probe(4000.0, 90 * MILLISECOND))
    run = honest_services().with_served(VERTX, capacity=found, system_calls=COUNTED)
    return run.with_probes(VERTX, *probes)


@pytest.fixture(scope="module")
def page() -> Contents:
    return page_of_services(asked())


def where(columns: Columns, **wanted: object) -> list[dict[str, object]]:
    return [
        dict(row) for row in rows(columns) if all(row[key] == one for key, one in wanted.items())
    ]


def test_every_question_has_its_picture_and_each_can_be_drawn(page: Contents) -> None:
    assert [one.title.split(" · ")[0] for one in page.pictures] == [
        "Latency by percentile",
        "Cost of a request",
        "System calls per request",
        "Latency by rate",
        "Warm-up",
        *["Latency over time"] * len(SERVICES),
        "How fast the machine was",
    ]
    assert all(svg.startswith("<svg") for svg in drawn(page))


@pytest.mark.parametrize("service", SERVICES, ids=lambda one: one.name)
@pytest.mark.parametrize("percentile", PERCENTILES)
def test_the_percentile_curve_goes_through_the_truth(
    page: Contents, service: Service, percentile: Percentile
) -> None:
    data = picture(page, "Latency by percentile").data
    [mark] = where(data["figures"], series=name(service), percentile=percentile)
    share = SHARES[percentile]
    assert mark["x"] == pytest.approx(1 / (1 - share))
    assert mark["y"] == pytest.approx(truth(service, share), rel=0.02)
    line = where(data["middle"], series=name(service))
    assert line == sorted(line, key=lambda one: float(str(one["y"])))
    near = min(line, key=lambda one: abs(float(str(one["x"])) - 1 / (1 - share)))
    assert float(str(near["y"])) == pytest.approx(truth(service, share), rel=0.1)


def withheld(load: Load, percentile: Percentile) -> Load:
    """The generator itself does not tell it."""
    return replace(load, withheld=((percentile, "most of it is the generator's own lateness"),))


def test_the_curve_ends_where_a_percentile_is_void() -> None:
    run = honest_services().with_loads(FASTIFY, lambda load: withheld(load, "p99"))
    assert cell_of(run, FASTIFY).figures["p99"].verdict == "void"
    data = picture(page_of_services(run), "Latency by percentile").data
    shown = [row["percentile"] for row in where(data["figures"], series=name(FASTIFY))]
    assert shown == ["p50", "p90"]
    last = max(float(str(row["x"])) for row in where(data["middle"], series=name(FASTIFY)))
    assert last == pytest.approx(10)


def test_a_service_without_a_line_is_named() -> None:
    run = honest_services().with_loads(FASTIFY, lambda load: withheld(load, "p50"))
    data = picture(page_of_services(run), "Latency by percentile").data
    assert [row["word"] for row in where(data["words"])] == [
        f"{name(FASTIFY)} has no line (see the table)"
    ]
    assert not where(data["single"], series=name(FASTIFY))


def test_a_limit_is_shown_as_one() -> None:
    """Others took a fifth of the processor, so that its latencies are upper limits. The
    table says so too."""
    run = honest_services().with_launch_share(service_cell(FASTIFY), "foreign_ns", 0.2)
    run = services_of(run).with_probes(VERTX, probe(1000.0, 9 * MILLISECOND))
    figure = cell_of(run, FASTIFY).figures["p99"]
    assert figure.bounds is not None
    assert figure.bounds[1] is not None
    text = f"≤ {quantity.duration(figure.bounds[1])}*"
    page = page_of_services(run)
    curve = picture(page, "Latency by percentile")
    (mark,) = where(curve.data["figures"], series=name(FASTIFY), percentile="p99")
    assert mark["said"] == text
    told = {row.cells[0]: row.cells for row in curve.table.rows}
    assert told[name(FASTIFY)][curve.table.columns.index("p99")] == text
    assert " [" in told[name(VERTX)][curve.table.columns.index("p99")]
    rates = picture(page, "Latency by rate")
    (own,) = where(rates.data["rates"], series=name(FASTIFY), rate="2,000/s")
    assert own["said"] == text
    assert "foreign_time" in {one.check for one in rates.judgement.explanations}
    assert text in [row.cells[2] for row in rates.table.rows if row.cells[0] == name(FASTIFY)]


def test_what_the_runtime_did_stands_beneath_the_latency(page: Contents) -> None:
    over_time = picture(
        page, f"Latency over time · pay · cards · small · 2000/s, p99 < 25.0 ms · {name(VERTX)}"
    )
    pauses = where(over_time.data["pauses"])
    assert len(pauses) == VERTX.pauses
    assert {row["said"] for row in pauses} == {"15.0 ms"}
    slowest = where(over_time.data["windows"], what="slowest")
    assert max(float(str(row["y"])) for row in slowest) >= VERTX.pause_ns
    assert all(0 <= float(str(row["x"])) <= SECONDS for row in slowest)


def test_a_runtime_that_tells_nothing_is_said_to() -> None:
    silent = honest_services().with_loads(FASTIFY, lambda load: replace(load, pauses_ns=None))
    page = page_of_services(silent.with_served(FASTIFY, events=None))
    titles = [one for one in page.pictures if one.title.endswith(name(FASTIFY))]
    assert [one.caption.endswith(SILENT) for one in titles] == [True]
    assert "pauses" not in titles[0].data


def test_steady_points_are_the_models(page: Contents) -> None:
    data = picture(page, "Warm-up").data
    for service in SERVICES:
        told = [one.steady_ns for one in service_of(asked(), service).warm_up]
        shown = where(data["steady"], series=name(service))
        assert [one["x"] for one in shown] == [
            pytest.approx(steady_ns / SECOND, rel=1e-3) for steady_ns in told if steady_ns
        ]


def test_a_void_latency_has_no_warm_up_and_no_parts() -> None:
    run = honest_services().with_loads(FASTIFY, lambda load: withheld(load, "p50"))
    figures = cell_of(run, FASTIFY).figures
    assert (figures["cpu"].verdict, figures["p50"].verdict) == ("fair", "void")
    page = page_of_services(run)
    assert set(picture(page, "Warm-up").data["curve"]["series"]) == {name(VERTX)}
    cost = picture(page, "Cost of a request")
    assert set(cost.data["parts"]["row"]) == {name(VERTX)}
    assert cost.judgement.counts == {"fair": 3, "flagged": 0, "void": 1}
    (row,) = [row for row in cost.table.rows if row.cells[0] == name(FASTIFY)]
    assert set(row.cells[1:]) == {"void"}
    assert row.state == "void"


def test_rates_have_the_operating_point_among_them_and_the_capacity(page: Contents) -> None:
    shown = picture(page, "Latency by rate")
    assert [row["x"] for row in where(shown.data["rates"], series=name(VERTX))] == [
        *(1000.0, 2000.0, 4000.0)
    ]
    [capacity] = where(shown.data["capacity"], series=name(VERTX))
    assert (capacity["x"], capacity["x2"]) == (3000.0, 3400.0)
    assert capacity["y"] == OBJECTIVE.limit_ns
    said = {row.cells[1]: row.cells[2] for row in shown.table.rows if row.cells[0] == name(VERTX)}
    assert said["knee"] == (
        "no knee (rate above which latency grows faster than throughput) is shown, because only 3 "
        "rates were measured, and at least 4 are needed"
    )


def test_a_flagged_rate_has_a_star_and_the_caption_explains_it() -> None:
    doubtful = replace(probe(1000.0, 9 * MILLISECOND), verdict="flagged")
    shown = picture(page_of_services(asked().with_probes(VERTX, doubtful)), "Latency by rate")
    (mark,) = where(shown.data["rates"], series=name(VERTX), rate="1,000/s")
    assert mark["said"] == "9.00 ms*"
    assert "9.00 ms*" in [row.cells[2] for row in shown.table.rows]
    assert TABLE_MARKS in shown.caption


def test_a_void_rate_is_a_gap_and_an_open_capacity_reaches_the_edge() -> None:
    found = CapacityFound(
        highest_met_per_s=3500.0, lowest_missed_per_s=None, confidence=0.95, observations=9
    )
    gone = replace(probe(3000.0, 15 * MILLISECOND), verdict="void")
    run = asked().with_served(VERTX, capacity=found)
    run = run.with_probes(VERTX, probe(1000.0, 9 * MILLISECOND), gone, probe(4000.0, 10**8))
    page = page_of_services(run)
    rates = picture(page, "Latency by rate")
    shown = {row["x"]: row["y"] for row in where(rates.data["rates"], series=name(VERTX))}
    assert list(shown) == [1000.0, 2000.0, 3000.0, 4000.0]
    assert [x for x, y in shown.items() if y is None] == [3000.0]
    assert not where(rates.data["capacity"])
    (bar,) = where(rates.data["open_ended"])
    assert (bar["x"], bar["series"]) == (3500.0, name(VERTX))
    layers = {one["data"].get("name") for one in json.loads(json.dumps(rates.spec))["layer"]}
    assert layers == {"rates", "open_ended", None}  # Vega warns of a layer without data
    svg = drawn(page)[page.pictures.index(rates)]
    # The line has two pieces: to the operating point, and the point beyond the void rate.
    assert [line.count("M") for line in LINE.findall(svg) if "L" in line] == [2]
    assert [float(left) + float(length) for left, length in BAR.findall(svg)] == [WIDTH]


def test_the_parts_of_a_request_are_the_mean(page: Contents) -> None:
    cost = picture(page, "Cost of a request")
    for service in SERVICES:
        parts = where(cost.data["parts"], row=name(service))
        own = sum(
            float(str(one["end"])) - float(str(one["start"]))
            for one in parts
            if one["series"] in ("own CPU", "kernel CPU")
        )
        assert own == pytest.approx(service.cpu_ns / MILLISECOND, rel=0.02)
        starts = [float(str(one["start"])) for one in parts]
        assert starts == sorted(starts)
        assert parts[-1]["series"] == "other waits"


def test_the_mean_request_is_the_one_of_the_decision() -> None:
    # The median of the executions would not show the slow execution.
    run = honest_services().with_loads(FASTIFY, lambda load: replace(load, cpu_ns=900_000), 1)
    page = page_of_services(run)
    table = picture(page, "Cost of a request").table
    (row,) = [row for row in table.rows if row.cells[0] == name(FASTIFY)]
    cost = dict(zip(table.columns, row.cells, strict=True))
    section = next(one for one in page.sections if one.name == "decision")
    (said,) = [one for one in section.decided[0].said if one.startswith(f"in {name(FASTIFY)}, ")]
    mean_ms = float(cost["mean request"].removesuffix(" ms"))
    assert f"a request takes {mean_ms:.2f} ms on average: own CPU 0.40 ·" in said
    assert float(cost["own CPU"].split(" µs")[0]) == pytest.approx(400, rel=0.02)


def test_an_unknown_part_is_a_dash_and_no_zero() -> None:
    run = honest_services().with_loads(FASTIFY, lambda load: replace(load, run_queue=False))
    cost = picture(page_of_services(run), "Cost of a request").table
    rows = {row.cells[0]: dict(zip(cost.columns, row.cells, strict=True)) for row in cost.rows}
    assert rows[name(FASTIFY)]["run queue"] == "—"
    assert rows[name(VERTX)]["run queue"].startswith("20.0 µs")
    assert rows[name(VERTX)]["database"] == "—"


def test_system_calls_are_those_that_were_counted(page: Contents) -> None:
    calls = picture(page, "System calls per request")
    lengths = {
        one["series"]: float(str(one["end"])) - float(str(one["start"]))
        for one in where(calls.data["parts"], row=name(VERTX))
    }
    expected = {"read": 2.0, "write": 1.05, "wait": 0.25, "other": 0.15}
    assert lengths == pytest.approx(expected, rel=1e-2)
    assert where(calls.data["words"]) == [{"row": name(FASTIFY), "word": "not counted"}]
    [row] = [row for row in calls.table.rows if row.cells[0] == name(VERTX)]
    assert row.cells[1:-1] == ("3.45", "2.00", "1.05", "0.250", "0", "0.150")


def test_system_calls_of_a_service_that_answers_wrongly_are_void() -> None:
    run = asked().with_served(FASTIFY, system_calls=COUNTED).with_loads(VERTX, failing)
    calls = picture(page_of_services(run), "System calls per request")
    assert where(calls.data["words"]) == [{"row": name(VERTX), "word": "void"}]
    assert set(calls.data["parts"]["row"]) == {name(FASTIFY)}
    assert calls.judgement.counts == {"fair": 1, "flagged": 0, "void": 1}


def test_nothing_is_drawn_where_nothing_was_counted() -> None:
    titles = [one.title for one in page_of_services(honest_services()).pictures]
    assert not any(title.startswith("System calls") for title in titles)


def test_cycles_stand_beside_the_parts_where_they_are_counted(page: Contents) -> None:
    cost = picture(page, "Cost of a request").table
    assert cost is not None
    assert "cycles" not in cost.columns
    counted = picture(page_of_services(counting(1_200_000)), "Cost of a request").table
    assert counted is not None
    cells = [dict(zip(counted.columns, row.cells, strict=True)) for row in counted.rows]
    assert [row["cycles"] for row in cells] == ["1.20 million", "—"]


@pytest.mark.parametrize(
    ("spoilt", "told"),
    [(lambda load: withheld(load, "p50"), "1.20 million"), (failing, "void")],
    ids=["latency", "CPU time"],
)
def test_cycles_are_void_only_if_the_cpu_time_is(spoilt: Callable[[Load], Load], told: str) -> None:
    run = counting(1_200_000)
    run = run.with_loads(VERTX, lambda load: replace(load, cycles=1_200_000))
    cost = picture(page_of_services(run.with_loads(FASTIFY, spoilt)), "Cost of a request").table
    (row,) = [row for row in cost.rows if row.cells[0] == name(FASTIFY)]
    said = dict(zip(cost.columns, row.cells, strict=True))
    assert (said["mean request"], said["cycles"]) == ("void", told)


def test_the_decision_is_said(page: Contents) -> None:
    section = next(one for one in page.sections if one.name == "decision")
    assert any("vertx" in line for line in section.decided[0].said)


def test_the_slowest_requests_stand_one_by_one(page: Contents) -> None:
    section = next(one for one in page.sections if one.name == "decision")
    (decided,) = section.decided
    assert any(
        "causes of the slowest" in line and "because of pause" in line for line in decided.said
    )
    table = decided.slowest
    assert table is not None
    assert len(table.rows) == 20
    pause, slow_by = table.columns.index("pause, ms"), table.columns.index("slow by")
    # The baseline stops for 3 ms; nobody meets two stops.
    assert any("pause" in row.cells[slow_by] for row in table.rows)
    assert all(0 <= float(row.cells[pause]) <= 3 for row in table.rows)
    assert table.title in html(page)


def test_the_top_answers_the_objective(page: Contents) -> None:
    (question,) = page.header.conclusion.questions
    assert {"met", "missed"} & {text for row in question.rows for text in row}
    top = html(page).partition('<dl class="facts">')[0]
    for row in question.rows:
        assert all(text in top for text in row)
    assert question.sentences[0].replace("<", "&lt;") in top
