"""The tables of peaks and scores say what the model holds, one class a table."""

from __future__ import annotations

import pytest

from evidence.honest_peaks import (
    BEAST,
    CONNECTIONS,
    DB,
    FASTAPI,
    JSON,
    MICRO,
    NET_HTTP,
    PLATFORM,
    SERVICES,
    TESTS,
    VERTX,
    WINDOW_NS,
    honest_peaks,
    peak_id,
    slowed,
)
from evidence.honest_services import honest_services
from evidence.records import Records
from report.page.pages import drawn, page_of, picture
from result.test_run import disturbed, result_of
from runfair.formats.plan import Factors
from runfair.formats.service import OWN
from runfair.report.markdown import markdown
from runfair.report.page.picture import TABLE_MARKS
from runfair.report.page.rendering import html
from runfair.report.peak_tables import class_text, peak_tables
from runfair.report.service_tables import service_tables
from runfair.report.table import tables
from runfair.wording import quantity
from runfair.wording.table import Row, Table


def tables_of(run: Records) -> dict[str, Table]:
    return {one.title: one for one in peak_tables(result_of(run))}


def peak_title(test: str, classification: str) -> str:
    return f"techempower · {test} · small · peak · {classification}"


PLATFORMS, MICROS = class_text(PLATFORM), class_text(MICRO)


def row_of(table: Table, service: str) -> Row:
    return next(row for row in table.rows if row.cells[0].startswith(f"{service} ("))


def cells_of(table: Table, service: str) -> dict[str, str]:
    return dict(zip(table.columns, row_of(table, service).cells, strict=True))


def waiting(run: Records, *, bound: bool) -> Records:
    for count in CONNECTIONS:
        database_ns = round(0.95 * WINDOW_NS) if bound else None
        run = slowed(run, peak_id(BEAST, DB, count), 4.0, database_ns=database_ns)
    return run


def test_no_table_mixes_classes() -> None:
    found = tables_of(honest_peaks())
    assert PLATFORMS == "platform · raw · realistic"
    assert peak_title("json", PLATFORMS) in found
    for title, table in found.items():
        mine = {one.name for one in SERVICES if class_text(one.classification) in title}
        assert {row.cells[0].split(" (")[0] for row in table.rows} == mine
        assert len(mine) == 2


def test_a_peak_has_its_rate_its_costs_and_no_percentile() -> None:
    table = tables_of(honest_peaks())[peak_title("single-query", PLATFORMS)]
    beast = cells_of(table, "beast")
    assert beast["CPU/request"].startswith(("29.", "30."))
    assert beast["CPU/request"].split()[1] == "µs"
    assert beast["database's CPU"] == "12.0 µs"
    assert beast["connections"] == str(CONNECTIONS[0])
    assert beast["verdict"] == "fair"
    assert "so percentiles of the latency would not be valid" in table.notes[0]
    whole = markdown(result_of(honest_peaks()))
    assert "p99" not in whole
    assert "objective" not in whole


def test_tests_with_a_database_are_ranked_by_cpu_time() -> None:
    """The cheapest stays first, though the other has the higher rate by now."""
    run = waiting(honest_peaks(), bound=True)
    table = tables_of(run)[peak_title("single-query", PLATFORMS)]
    beast, other = (cells_of(table, one) for one in ("beast", "net-http"))
    rates = [float(one["per processor"].replace(",", "")) for one in (beast, other)]
    assert rates[0] < rates[1]
    assert [row.cells[0].split(" (")[0] for row in table.rows] == ["beast", "net-http"]
    assert "ranked by CPU time per request" in table.notes[0]
    assert beast["requests/s"].startswith("≥ ") or "*" in beast["requests/s"]
    assert any("the database limited the peak" in note for note in table.notes)


def test_other_tests_are_ranked_by_rate() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = slowed(run, peak_id(BEAST, JSON, count), 8.0)
    table = tables_of(run)[peak_title("json", PLATFORMS)]
    assert [row.cells[0].split(" (")[0] for row in table.rows] == ["net-http", "beast"]
    assert "ranked by requests/s" in table.notes[0]


def test_what_was_used_is_told() -> None:
    table = tables_of(honest_peaks())[f"single-query · peak · {MICROS} · used"]
    vertx = cells_of(table, "vertx")
    assert vertx["memory"] == "45.0 MiB"
    assert vertx["system calls/request"] == "2.10"
    assert vertx["server busy"].startswith(("96", "97"))
    assert vertx["database busy"] not in ("", "—")
    assert (vertx["paused"], vertx["collecting"]) == ("1.00%", "2.00%")


def test_rates_by_connections_say_when_the_peak_may_be_beyond() -> None:
    title = f"json · peak · {PLATFORMS} · requests/s by connections"
    table = tables_of(honest_peaks())[title]
    assert table.columns == ("service", *map(str, CONNECTIONS), "verdict")
    assert table.notes == ()
    waits = slowed(honest_peaks(), peak_id(BEAST, JSON), 3.0)
    (note,) = tables_of(waits)[title].notes
    assert note.startswith("beast (")
    assert "the true peak may be higher; add a larger number of connections" in note


def test_pipelined_requests_are_a_test_of_their_own() -> None:
    run = honest_peaks()
    for service in SERVICES:
        name = peak_id(service, JSON, CONNECTIONS[1])
        (cell,) = (one for one in run.plan.cells if one.id == name)
        assert cell.peak is not None
        deep = cell.peak.model_copy(update={"pipeline": 16})
        run = run.with_cell(name, peak=deep)
    found = tables_of(run)
    plain = found[peak_title("json", PLATFORMS)]
    deep_table = found[peak_title("json pipelined by 16", PLATFORMS)]
    assert cells_of(plain, "beast")["connections"] == str(CONNECTIONS[0])
    assert cells_of(deep_table, "beast")["connections"] == str(CONNECTIONS[1])
    assert len(plain.rows) == len(deep_table.rows) == 2


def test_a_score_tells_its_weights_version_and_whether_they_are_verified() -> None:
    found = tables_of(honest_peaks())
    summed = found[f"techempower · small · score 'sum', version 3 · {PLATFORMS}"]
    assert (
        "the weights of the score may be wrong, because they were not compared with their "
        "source: a page"
    ) in summed.notes
    assert cells_of(summed, "beast")["score [95%]"].startswith("100 [")
    shares = found[f"techempower · small · score 'shares', version 1 · {MICROS}"]
    assert not any("not compared" in note for note in shares.notes)
    assert [row.cells[0].split(" (")[0] for row in shares.rows] == ["vertx", "fastapi"]


def test_a_score_of_a_bound_rate_says_so() -> None:
    found = tables_of(waiting(honest_peaks(), bound=True))
    row = cells_of(found[f"techempower · small · score 'sum', version 3 · {PLATFORMS}"], "beast")
    assert row["remark"] == "database-bound: single-query"
    assert row["verdict"] == "flagged"


def test_a_framework_that_lacks_a_test_stays_in_every_table() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.with_cell(peak_id(NET_HTTP, DB, count), unsupported="it has no database")
    found = tables_of(run)
    table = found[peak_title("single-query", PLATFORMS)]
    assert row_of(table, "net-http").cells[-1] == "unsupported: it has no database"
    score = found[f"techempower · small · score 'shares', version 1 · {PLATFORMS}"]
    assert cells_of(score, "net-http")["remark"].endswith("it has no database")


def test_a_void_peak_is_no_number() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.failing(peak_id(VERTX, JSON, count), 6)
    row = row_of(tables_of(run)[peak_title("json", MICROS)], "vertx")
    assert row.state == "void"
    assert "void" in row.cells
    assert not any(cell[:1].isdigit() for cell in row.cells[2:6])


def test_the_users_own_service_is_said_to_be_unverified() -> None:
    run, title = honest_peaks(), peak_title("json", PLATFORMS)
    own = run.with_cells(lambda one: one.tier == NET_HTTP.name, tier=OWN)
    for found, expected in ((own, 1), (run, 0)):
        notes = tables_of(found)[title].notes
        assert sum("runfair did not check whether" in note for note in notes) == expected


def test_peaks_are_in_no_table_of_programs() -> None:
    found = tables(result_of(honest_peaks()))
    assert {one.title for one in found} == set(tables_of(honest_peaks()))


def test_a_table_of_services_of_two_classes_says_so() -> None:
    run = honest_services()
    cells = run.plan.cells
    classed = run.with_cell(cells[0].id, classification=PLATFORM).with_cell(
        cells[1].id, classification=MICRO
    )
    notes = [note for one in service_tables(result_of(classed)) for note in one.notes]
    assert any(
        "services of several classes" in note and f"{PLATFORMS}: {cells[0].tier}" in note
        for note in notes
    )
    plain = [note for one in service_tables(result_of(run)) for note in one.notes]
    assert not any("several classes" in note for note in plain)


# ------------------------------------------------------------ the page


def test_the_page_ranks_by_class_language_and_test() -> None:
    page = page_of(honest_peaks())
    (section,) = (one for one in page.sections if one.name == "peaks")
    ranking = section.ranking
    assert ranking is not None
    filters = {name: choices for name, _, choices in ranking.filters}
    assert filters["group"] == (PLATFORMS, MICROS)
    assert filters["language"] == ("c++", "go", "java", "python")
    assert len(filters["test"]) == len(TESTS)
    assert len(ranking.rows) == len(SERVICES) * len(TESTS)
    firsts = [row.cells for row in ranking.rows if row.cells[0] == "1"]
    assert len(firsts) == 2 * len(TESTS)
    assert {cells[1].split(" (")[0] for cells in firsts} == {"beast", "vertx"}
    assert {row.cells[9] for row in ranking.rows} == {"server"}


def test_services_with_other_factors_are_told_apart() -> None:
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.with_cell(peak_id(BEAST, JSON, count), factors=Factors(heap_bytes=2**26))
    page = page_of(run)
    (section,) = (one for one in page.sections if one.name == "peaks")
    assert section.ranking is not None
    names = {row.test: row.cells[1] for row in section.ranking.rows if "beast" in row.cells[1]}
    alone, several = names["techempower plaintext small"], names["techempower json small"]
    assert several == f"{alone}, 1 thread, heap 64.0 MiB"
    title = "CPU time of a request by rate · techempower · json · small · platform"
    one = picture(page, title)
    assert {several} == {row.cells[0] for row in one.table.rows if "beast" in row.cells[0]}
    assert several in one.data["peaks"]["service"]


def test_the_reason_stands_beside_a_place() -> None:
    page = page_of(waiting(honest_peaks(), bound=True))
    (section,) = (one for one in page.sections if one.name == "peaks")
    assert section.ranking is not None
    (row,) = (
        row
        for row in section.ranking.rows
        if row.cells[1].startswith("beast") and "single-query" in row.test
    )
    assert row.cells[9] == "database"
    page = page_of(waiting(honest_peaks(), bound=False))
    (section,) = (one for one in page.sections if one.name == "peaks")
    assert section.ranking is not None
    limits = {row.cells[9] for row in section.ranking.rows}
    assert {one.split(":")[0] for one in limits} == {"server", "waits"}


def test_a_picture_shows_cpu_time_by_rate_for_each_class() -> None:
    page = page_of(honest_peaks())
    one = picture(page, "CPU time of a request by rate · techempower · json · small · platform")
    data = one.data["peaks"]
    assert len(data["x"]) == 2 * len(CONNECTIONS)
    assert set(data["verdict"]) == {"fair"}
    assert one.judgement.state == "fair"
    assert [row.cells[1] for row in one.table.rows[:1]] == [f"{CONNECTIONS[0]} connections"]
    assert len([each for each in page.pictures if each.title.startswith("CPU time of")]) == 8


def test_a_limit_of_a_peak_is_shown_as_one() -> None:
    run = disturbed(honest_peaks(), peak_id(BEAST, JSON))
    peaks = {one.id: one.peak for one in result_of(run).cells}
    peak = peaks[peak_id(BEAST, JSON)]
    assert peak is not None
    rate = peak.rate_per_s
    assert rate.bounds is not None
    assert rate.bounds[0] is not None
    text = f"≥ {quantity.three_digits(rate.bounds[0])}/s*"
    title = "CPU time of a request by rate · techempower · json · small · platform"
    page = page_of(run)
    one = picture(page, title)
    assert TABLE_MARKS in one.caption
    (section,) = (each for each in page.sections if each.name == "peaks")
    assert section.ranking is not None
    assert TABLE_MARKS in section.ranking.note
    assert text in one.data["peaks"]["rate"]
    assert text in [row.cells[2] for row in one.table.rows]


def test_a_void_peak_is_not_drawn() -> None:
    run = honest_peaks().failing(peak_id(FASTAPI, JSON), 6)
    one = picture(
        page_of(run), "CPU time of a request by rate · techempower · json · small · micro"
    )
    assert len(one.data["peaks"]["x"]) == 2 * len(CONNECTIONS) - 1
    assert one.judgement.counts["void"] == 2


def test_the_page_is_made_and_its_texts_are_escaped() -> None:
    evil = '"><script>window.owned = 1</script>'
    run = honest_peaks()
    for count in CONNECTIONS:
        run = run.with_cell(peak_id(BEAST, JSON, count), unsupported=evil)
    made = html(page_of(run))
    assert evil not in made
    assert 'data-filters="ranked"' in made
    assert f'data-group="{PLATFORMS}"' in made


@pytest.mark.long
def test_every_picture_can_be_drawn() -> None:
    assert all(one.startswith("<svg") for one in drawn(page_of(honest_peaks())))
