"""The page in a real browser: opened, looked at, hovered over, filtered, printed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from fairness.runs import GO, cell_id, honest_run
from report.page.browser import PHONE, Opened, chromium, opened
from report.page.pages import page_of
from runfair.report.page.contents import Contents
from runfair.report.page.rendering import html

AXE = files("axe_playwright_python") / "axe.min.js"
QUICK_BYTES = 3_000_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def programs() -> Contents:
    """One cell is void, so that all three verdicts are on the page."""
    return page_of(honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2))


@pytest.fixture(scope="module")
def file(programs: Contents, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(html(programs), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Opened]:
    seen = opened(browser, file)
    yield seen
    seen.page.close()


def test_it_opens_offline_and_draws_every_picture(
    page: Opened, file: Path, programs: Contents
) -> None:
    assert page.complaints == []
    assert page.requests == []
    assert page.page.locator("figure .drawing svg").count() == len(programs.pictures)
    assert page.page.locator("figure details.table table").count() == len(programs.pictures)
    assert file.stat().st_size < QUICK_BYTES


def test_a_mark_tells_its_number(page: Opened, programs: Contents) -> None:
    first = page.page.locator("figure").first
    first.locator("svg path[aria-roledescription], svg .mark-symbol.role-mark path").last.hover()
    tooltip = page.page.locator("#vg-tooltip-element")
    tooltip.wait_for(state="visible")
    said = {row.cells[2] for row in programs.pictures[0].table.rows}
    assert any(one in tooltip.inner_text() for one in said)


def test_the_filter_shows_what_is_asked_for(page: Opened, programs: Contents) -> None:
    shown = page.page.locator("figure:visible")
    assert shown.count() == len(programs.pictures)
    page.page.get_by_label("fair", exact=True).uncheck()
    page.page.get_by_label("flagged", exact=True).uncheck()
    void = [one for one in programs.pictures if one.judgement.state == "void"]
    assert 0 < len(void) < len(programs.pictures)
    assert shown.count() == len(void)
    page.page.get_by_label("fair", exact=True).check()
    page.page.get_by_label("flagged", exact=True).check()
    page.page.get_by_role("searchbox").fill("no such thing")
    assert shown.count() == 0
    assert page.page.locator("section.table:visible").count() == 0


def test_verdicts_and_tables_open_from_the_keyboard(page: Opened) -> None:
    summary = page.page.locator("figure details.verdict summary").first
    summary.focus()
    page.page.keyboard.press("Enter")
    assert page.page.locator("figure details.verdict[open]").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser: Browser, file: Path, scheme: str) -> None:
    seen = opened(browser, file, scheme="dark" if scheme == "dark" else "light")
    for details in seen.page.locator("details").all():
        details.evaluate("one => { one.open = true; }")
    seen.page.evaluate(AXE.read_text(encoding="utf-8"))
    found = seen.page.evaluate("axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']})")
    assert len(found["passes"]) > 10
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    seen.page.close()


def test_a_phone_has_room_for_it(browser: Browser, file: Path) -> None:
    seen = opened(browser, file, size=PHONE)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    widths = seen.page.evaluate(
        "[...document.querySelectorAll('.drawing')]"
        ".map(one => one.querySelector('svg').getBoundingClientRect().width - one.clientWidth)"
    )
    assert max(widths) <= 1
    assert seen.complaints == []
    seen.page.close()


def test_paper_is_light_and_has_every_picture(browser: Browser, file: Path) -> None:
    seen = opened(browser, file, scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert seen.page.evaluate(ground) != "rgb(255, 255, 255)"
    seen.page.emulate_media(media="print")
    assert seen.page.evaluate(ground) == "rgb(255, 255, 255)"
    assert seen.page.pdf().startswith(b"%PDF")
    seen.page.close()
