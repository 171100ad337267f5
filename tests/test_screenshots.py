"""What the page looks like, compared with what it looked like: light, dark, on a phone.

After a change that is meant, RUNFAIR_RENEW_SCREENSHOTS=1 before this file's tests stores what is
seen in place of what was; `git diff` shows it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from evidence.honest_run import GO, PYTHON, cell_id, honest_run
from evidence.records import Records
from report.page.browser import DESK, PHONE, chromium_with_one_font, opened
from report.page.pages import page_of
from report.page.screenshot import RENEW, TOLERATED, blocks, compare, difference, png, shots
from report.page.service_pages import page_of_services
from report.page.test_services import asked
from report.page.test_versions import of_versions
from runfair.report.page import palette
from runfair.report.page.contents import Contents
from runfair.report.page.rendering import html

STORED = Path(__file__).with_name("screenshots")


@dataclass(frozen=True)
class Look:
    scheme: Literal["light", "dark"] = "light"
    size: tuple[int, int] = DESK


LOOKS = {"light": Look(), "dark": Look(scheme="dark"), "phone": Look(size=PHONE)}


def small_and_steady(run: Records) -> Records:
    cells = [cell for cell in run.plan.cells if (cell.size, cell.mode) == ("small", "steady")]
    names = {cell.id for cell in cells}
    planned = [one for one in run.plan.executions if one.cell in names]
    executions = tuple(one for one in run.executions if one.cell in names)
    return replace(run.with_plan(cells=cells, executions=planned), executions=executions)


def programs() -> Contents:
    """All three verdicts are on it."""
    run = small_and_steady(honest_run()).with_launch_share(cell_id(PYTHON), "foreign_ns", 0.2)
    run = run.with_records(cell_id(GO), 1, iterations=57)  # not what is kept: void
    return page_of(of_versions(run))


PAGES: dict[str, Callable[[], Contents]] = {
    "programs": programs,
    "services": lambda: page_of_services(asked()),
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium_with_one_font(tmp_path_factory.mktemp("fonts")) as started:
        yield started


@pytest.fixture(scope="module")
def canvas(browser: Browser) -> Page:
    return browser.new_page()


def differences(
    browser: Browser, canvas: Page, folder: Path, name: str, look: Look, contents: Contents
) -> list[str]:
    """Of the page that shows these contents, from the stored one of that name and look."""
    path = folder / "report.html"
    path.write_text(html(contents), encoding="utf-8")
    seen = opened(browser, path, scheme=look.scheme, size=look.size)
    (which,) = [key for key, one in LOOKS.items() if one == look]
    found = compare(canvas, STORED / name / which, shots(seen, canvas))
    seen.page.close()
    return found


@pytest.mark.parametrize("look", ["light", "phone", pytest.param("dark", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ["programs", pytest.param("services", marks=pytest.mark.long)])
def test_it_looks_as_it_did(
    browser: Browser, canvas: Page, tmp_path: Path, name: str, look: str
) -> None:
    assert differences(browser, canvas, tmp_path, name, LOOKS[look], PAGES[name]()) == []


broken = pytest.mark.skipif(RENEW in os.environ, reason="what is broken is not to be stored")


@broken
def test_another_colour_is_seen_and_the_difference_is_kept(
    browser: Browser, canvas: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    monkeypatch.setitem(palette.LIGHT, "series-1", palette.LIGHT["series-2"])
    found = differences(browser, canvas, tmp_path, "programs", LOOKS["light"], programs())
    assert any(line.startswith("relative-completion-time") for line in found), found
    kept = {path.name for path in (tmp_path / "screenshots").iterdir()}
    assert len(kept) == 2 * len(found)
    [name] = [one for one in kept if one.startswith("programs-light-relative-completion")][:1]
    assert (tmp_path / "screenshots" / name).read_bytes().startswith(b"\x89PNG")


@broken
def test_a_picture_that_is_missing_is_seen(
    browser: Browser, canvas: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path))
    whole = programs()
    left = replace(whole.sections[0], pictures=whole.sections[0].pictures[1:])
    less = replace(whole, sections=(left, *whole.sections[1:]))
    found = differences(browser, canvas, tmp_path, "programs", LOOKS["light"], less)
    assert found == [f"{whole.pictures[0].name}: stored, and not on the page"]


def test_an_interval_that_is_not_drawn_is_seen(canvas: Page) -> None:
    """A line two pixels wide through 15 blocks of 400, in the others of which nothing is drawn."""
    ground = np.full((160, 160, 3), 255.0)
    drawn = ground.copy()
    drawn[80:82, :120] = 0
    with_line, without = (blocks(canvas, png(one)) for one in (drawn, ground))
    assert with_line.shape == (20, 20, 3)
    assert difference(with_line, with_line) == 0
    assert difference(with_line, without) > TOLERATED
    assert difference(with_line, without[:19]) == 1
