"""The page in a real browser: opened, looked at, hovered over, filtered, printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from evidence.honest_peaks import BEAST, DB, FASTAPI, JSON, MICRO, honest_peaks, only
from evidence.honest_run import GO, PYTHON, cell_id, honest_run
from laboratory import Lab
from report.page.browser import PHONE, Opened, chromium, opened
from report.page.hostile import hostile_programs, hostile_services
from report.page.pages import page_of
from report.page.service_pages import page_of_services
from report.page.test_services import asked
from report.sources import told_by
from runfair.report.page.contents import Contents
from runfair.report.page.rendering import html

AXE = files("axe_playwright_python") / "axe.min.js"
QUICK_BYTES = 3_000_000
MARK = "svg .mark-symbol.role-mark path"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@dataclass(frozen=True)
class Report:
    """A page on disk and what it was made from."""

    contents: Contents
    path: Path


def programs() -> Contents:
    """One cell is void, so that all three verdicts are on the page; two told lines of source."""
    run = honest_run().with_launch_share(cell_id(PYTHON), "foreign_ns", 0.2)
    run = run.with_records(cell_id(GO), 1, iterations=57)  # not what is kept: void
    return page_of(told_by(run, cell_id(PYTHON), cell_id(GO)))


def peaks() -> Contents:
    """Two frameworks of two classes in two tests."""
    return page_of(only(honest_peaks(), BEAST, FASTAPI, tests=[JSON, DB]))


PAGES: dict[str, Callable[[], Contents]] = {
    "programs": programs,
    "services": lambda: page_of_services(asked()),
    "peaks": peaks,
    "hostile programs": lambda: page_of(hostile_programs()),
    "hostile services": lambda: page_of_services(hostile_services()),
}


@pytest.fixture(scope="module", params=PAGES)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    contents = PAGES[request.param]()
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html(contents), encoding="utf-8")
    return Report(contents, path)


@pytest.fixture(scope="module")
def of_programs(tmp_path_factory: pytest.TempPathFactory) -> Report:
    contents = programs()
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html(contents), encoding="utf-8")
    return Report(contents, path)


@pytest.fixture
def page(browser: Browser, of_programs: Report) -> Iterator[Opened]:
    seen = opened(browser, of_programs.path)
    yield seen
    seen.page.close()


def test_it_opens_offline_draws_every_picture_and_runs_nothing_else(
    browser: Browser, report: Report
) -> None:
    seen = opened(browser, report.path)
    assert seen.complaints == []
    assert seen.requests == []
    count = len(report.contents.pictures)
    assert seen.page.locator("figure .drawing svg").count() == count
    sources = len(report.contents.sources)
    assert seen.page.locator("figure details.table table").count() == count + sources
    assert seen.page.evaluate("window.owned") is None
    assert seen.page.locator("img, iframe, object, embed").count() == 0
    assert report.path.stat().st_size < QUICK_BYTES
    seen.page.close()


def test_a_hostile_name_is_a_text_under_the_pointer_too(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(page_of(hostile_programs())), encoding="utf-8")
    seen = opened(browser, path)
    # The picture of the machine's speed names no program.
    seen.page.locator("figure:not(#machine-level)").locator(MARK).last.hover()
    tooltip = seen.page.locator("#vg-tooltip-element")
    tooltip.wait_for(state="visible")
    assert "</script><script>window.owned" in tooltip.inner_text()
    assert tooltip.locator("img, script, svg").count() == 0
    assert seen.complaints == []
    seen.page.close()


def test_a_mark_tells_its_number(page: Opened, of_programs: Report) -> None:
    page.page.locator("figure").first.locator(MARK).last.hover()
    tooltip = page.page.locator("#vg-tooltip-element")
    tooltip.wait_for(state="visible")
    said = {row.cells[2] for row in of_programs.contents.pictures[0].table.rows}
    assert any(one in tooltip.inner_text() for one in said)


def test_the_filter_shows_what_is_asked_for(page: Opened, of_programs: Report) -> None:
    contents = of_programs.contents
    figures = [one.judgement.state for one in contents.pictures]
    figures += [one.judgement.state for one in contents.sources]
    shown = page.page.locator("figure:visible")
    assert shown.count() == len(figures)
    page.page.get_by_label("fair", exact=True).uncheck()
    page.page.get_by_label("flagged", exact=True).uncheck()
    void = [state for state in figures if state == "void"]
    assert 0 < len(void) < len(figures)
    # What is no program's figure, as the machine's speed is, has no verdict and stays.
    unjudged = [one for one in contents.pictures if not one.judgement.total]
    assert shown.count() == len(void) + len(unjudged)
    page.page.get_by_label("fair", exact=True).check()
    page.page.get_by_label("flagged", exact=True).check()
    page.page.get_by_role("searchbox").fill("no such thing")
    assert shown.count() == 0
    assert page.page.locator("section.table:visible").count() == 0


def test_the_ranking_shows_what_is_chosen(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(html(peaks()), encoding="utf-8")
    seen = opened(browser, path)
    shown = seen.page.locator("#ranked tbody tr:visible")
    chosen = seen.page.locator("form[data-filters]")
    assert shown.count() == 4
    chosen.get_by_label("class").select_option(MICRO.text)
    assert shown.count() == 2
    assert all("fastapi" in text for text in shown.all_inner_texts())
    chosen.get_by_label("test").select_option("techempower json small")
    assert shown.count() == 1
    assert chosen.locator("output").inner_text() == "1 of 4 rows"
    chosen.get_by_label("language").select_option("c++")
    assert shown.count() == 0
    chosen.get_by_label("language").select_option("all")
    assert shown.count() == 1
    # The filter of the whole page leaves the ranking alone.
    seen.page.get_by_role("searchbox").fill("no such thing")
    assert shown.count() == 1
    assert seen.complaints == []
    seen.page.close()


def test_verdicts_and_tables_open_from_the_keyboard(page: Opened) -> None:
    summary = page.page.locator("figure details.verdict summary").first
    summary.focus()
    page.page.keyboard.press("Enter")
    assert page.page.locator("figure details.verdict[open]").count() == 1


def test_it_is_accessible(browser: Browser, report: Report) -> None:
    check_accessible(browser, report, "light")


def test_it_is_accessible_in_the_dark(browser: Browser, of_programs: Report) -> None:
    check_accessible(browser, of_programs, "dark")


@pytest.mark.long
def test_every_page_is_accessible_in_the_dark(browser: Browser, report: Report) -> None:
    """The themes differ only in their palette, which the page of programs shows."""
    check_accessible(browser, report, "dark")


def check_accessible(browser: Browser, report: Report, scheme: Literal["light", "dark"]) -> None:
    seen = opened(browser, report.path, scheme=scheme)
    for details in seen.page.locator("details").all():
        details.evaluate("one => { one.open = true; }")
    seen.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = seen.page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']})")
    assert len(found["passes"]) > 10
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    seen.page.close()


def test_a_phone_has_room_for_it(browser: Browser, report: Report) -> None:
    seen = opened(browser, report.path, size=PHONE)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    widths = seen.page.evaluate(
        "[...document.querySelectorAll('.drawing')]"
        ".map(one => one.querySelector('svg').getBoundingClientRect().width - one.clientWidth)"
    )
    assert max(widths) <= 1
    assert seen.complaints == []
    seen.page.close()


def test_paper_is_light(browser: Browser, of_programs: Report) -> None:
    seen = opened(browser, of_programs.path, scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert seen.page.evaluate(ground) != "rgb(255, 255, 255)"
    seen.page.emulate_media(media="print")
    assert seen.page.evaluate(ground) == "rgb(255, 255, 255)"
    assert seen.page.pdf().startswith(b"%PDF")
    seen.page.close()


def test_every_run_ends_with_its_page_and_figures_can_be_had_as_files(
    lab: Lab, browser: Browser, tmp_path: Path
) -> None:
    lab("run", lab.experiment(), "--profile", "smoke")
    folder = lab.run_folder()
    seen = opened(browser, folder / "report.html")
    assert seen.complaints == []
    drawn = seen.page.locator("figure").count()
    assert drawn > 0
    seen.page.close()
    (folder / "report.html").unlink()
    figures = tmp_path / "figures"
    said = lab("report", folder.name, "--figures", str(figures))
    assert f"Look       {folder / 'report.html'}" in said.stdout
    assert (folder / "report.html").exists()
    assert len(list(figures.glob("*.svg"))) == drawn
    for png in figures.glob("*.png"):
        assert png.read_bytes().startswith(b"\x89PNG")
    assert len(list(figures.iterdir())) == 2 * drawn
