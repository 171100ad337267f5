"""Lines of source on the page: bars, the hot ones, folds, and texts that mean harm."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.honest_run import GO, JAVA, PYTHON, cell_id, honest_run
from evidence.records import DIGEST
from report.page.browser import PHONE, chromium, opened
from report.page.hostile import HOSTILE
from report.page.pages import page_of
from report.page.test_rendering import DANGEROUS, Elements
from report.sources import COUNTS, LENGTH, told, told_by
from runfair.report.page import annotated_source
from runfair.report.page.annotated_source import LONGEST, visible
from runfair.report.page.contents import Contents
from runfair.report.page.rendering import html
from runfair.wording.text import plain

CELL = cell_id(PYTHON)


@pytest.fixture(scope="module")
def page() -> Contents:
    return page_of(told_by(honest_run(), CELL))


def test_figures_stand_beside_their_lines(page: Contents) -> None:
    [one] = page.sources
    assert one.title.startswith("sudoku.py · executions · sudoku · balanced · small")
    marked = {
        line.number: (mark.text, mark.width, mark.hot)
        for region in one.regions
        for line in region.lines
        for mark in line.marks
        if mark is not None
    }
    assert marked == {
        20: ("1", 1, False),  # as little as it is, it ran
        21: ("1,000", 100, True),
        100: ("600", 60, True),
        101: ("499", 50, False),
    }
    assert one.hottest[0].text == "line 21: 1,000 (47.6%)"
    assert [int(row.cells[0]) for row in one.table.rows] == [21, 100, 101, 20]
    assert one.table.rows[0].cells == ("21", "1,000 (47.6%)", "line_21()")
    assert (one.judgement.state, one.judgement.counts["fair"]) == ("fair", len(COUNTS))


def test_the_whole_file_is_there_folded_around_what_is_annotated(page: Contents) -> None:
    [one] = page.sources
    spans = [(region.first, region.last, region.folded) for region in one.regions]
    assert spans == [
        (1, 16, True),
        (17, 24, False),
        (25, 96, True),
        (97, 104, False),
        (105, 200, True),
    ]
    assert [line.number for region in one.regions for line in region.lines] == [*range(1, 201)]
    assert [region.headed for region in one.regions] == [False, True, False, False, False]


def test_variants_that_ran_the_same_text_stand_side_by_side() -> None:
    records = told_by(honest_run(), CELL, cell_id(GO))
    records = records.telling(cell_id(JAVA), told({1: 3.0}, text="another\n"))
    both, alone = page_of(records).sources
    assert both.columns == (GO.name, PYTHON.name)
    assert alone.columns == (JAVA.name,)
    assert len(both.regions[1].lines[0].marks) == 2


def test_a_void_series_has_no_bar() -> None:
    records = told_by(honest_run(), cell_id(GO)).telling(CELL, told(), digest="f" * 16)
    [one] = page_of(records).sources
    assert one.columns == (GO.name, f"{PYTHON.name}: void")
    assert {line.marks[1] for region in one.regions for line in region.lines} == {None}
    assert one.judgement.state == "void"
    [explanation] = one.judgement.explanations
    assert DIGEST in explanation.found[0]


def test_why_nothing_was_told_is_said() -> None:
    page = page_of(honest_run().telling(CELL, reason="exit status 2: leave --lines out"))
    [section] = [one for one in page.sections if one.name == "source"]
    assert section.missing == (
        f"sudoku · balanced: {PYTHON.name} reported no values for its source lines "
        "(exit status 2: leave --lines out)",
    )
    assert "leave --lines out" in html(page)
    assert "source" not in [one.name for one in page_of(honest_run()).sections]


def test_units_and_ranges() -> None:
    spent = [told({1: ns}, name="spent", unit="ns") for ns in (1_000_000.0, 3_000_000.0)]
    odd = told({1: 2.5, 2: -1.0}, name="odd", unit="µJ")
    records = honest_run().telling(CELL, spent[0], odd).telling(CELL, spent[1])
    texts = {
        one.title.split(" · ")[1]: [
            mark.text for line in one.regions[0].lines for mark in line.marks if mark is not None
        ]
        for one in page_of(records).sources
    }
    assert texts == {"spent": ["2.00 ms [1.00 ms, 3.00 ms]"], "odd (µJ)": ["2.50", "-1"]}


def test_a_file_too_long_for_a_page_leaves_its_folds_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotated_source, "MOST_UNFOLDED", LENGTH - 1)
    monkeypatch.setattr(annotated_source, "MOST_ANNOTATED", 2)
    [one] = page_of(told_by(honest_run(), CELL)).sources
    assert [region.absent for region in one.regions] == [True, False, True, False, True]
    assert (
        "4 lines have a measured value, and only the 2 hottest of them are marked." in one.caption
    )
    assert "lines 25 to 96 (72), in the run" in html(page_of(told_by(honest_run(), CELL)))


def test_a_page_has_room_for_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotated_source, "MOST_LISTINGS", 2)
    many = honest_run().telling(CELL, *(told(path=f"{name}.py") for name in "abcde"))
    page = page_of(many)
    assert len(page.sources) == 2
    [section] = [one for one in page.sections if one.name == "source"]
    assert "leaves out 3 more" in section.missing[0]


def test_hostile_source_is_text() -> None:
    text = f"{HOSTILE}\r\n\t{HOSTILE}\n"
    records = honest_run().telling(
        CELL, told({1: 1.0}, text=text, path=HOSTILE, name=HOSTILE, unit=HOSTILE)
    )
    page = html(page_of(records))
    seen = Elements(page)
    assert not set(seen.names) & DANGEROUS
    assert seen.handlers == []
    assert seen.scripts.count(None) == 2
    assert "<script>window.owned" not in page
    assert "\u202e" not in page
    assert "⟦U+202E⟧evil⟦U+202C⟧" in page
    assert "⟦U+001B⟧[31m" in page


def test_in_a_browser(tmp_path: Path) -> None:
    """Folds open by the keyboard, bars are as long as they say, the filter and a phone know it."""
    hostile = told({1: 2.0, 2: 1.0}, text=f"{HOSTILE}\n{HOSTILE}\n", path="odd.py")
    records = told_by(honest_run(), CELL).telling(CELL, hostile)
    path = tmp_path / "page.html"
    path.write_text(html(page_of(records)), encoding="utf-8")
    with chromium() as browser:
        seen = opened(browser, path)
        figure = seen.page.locator("figure.source").first
        hot, less = (
            figure.locator("tr", has_text=re.compile(rf"line_{number}\(\)")).locator(".bar")
            for number in (21, 100)
        )
        widths = [bar.bounding_box() for bar in (hot, less)]
        assert widths[0] is not None
        assert widths[1] is not None
        assert widths[1]["width"] / widths[0]["width"] == pytest.approx(0.6, abs=0.01)
        hidden = figure.get_by_text("line_1()", exact=True)
        assert not hidden.is_visible()
        figure.locator("summary", has_text="lines 1 to 16").focus()
        seen.page.keyboard.press("Enter")
        assert hidden.is_visible()
        seen.page.locator("[name=words]").fill("odd.py")
        assert seen.page.locator("figure.source:visible").count() == 1
        assert seen.page.evaluate("window.owned") is None
        phone = opened(browser, path, size=PHONE)
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
        assert seen.complaints == phone.complaints == []
        assert seen.requests == phone.requests == []


def test_anchors_are_told_apart() -> None:
    names = [told(path=f"{'x' * 200}{end}.py") for end in "ab"]
    found = page_of(honest_run().telling(CELL, *names)).sources
    assert len({one.name for one in found}) == 2


def test_the_order_of_a_run_is_not_changed_by_what_is_told() -> None:
    records = told_by(honest_run(), CELL)
    plain = replace(records, told={})
    assert [one.name for one in page_of(records).pictures] == [
        one.name for one in page_of(plain).pictures
    ]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("    if x:  # note", "    if x:  # note"),
        ("\tif\tx", "    if  x"),
        ("access = 'user\u202e\u2066'", "access = 'user⟦U+202E⟧⟦U+2066⟧'"),
        ("a\x1b[31mb\x0cc\u2028d\u200be\x00", "a⟦U+001B⟧[31mb⟦U+000C⟧c⟦U+2028⟧d⟦U+200B⟧e⟦U+0000⟧"),
        ("é ñ 漢字 שלום", "é ñ 漢字 שלום"),
        ("", ""),
    ],
)
def test_white_space_is_kept_and_the_invisible_named(line: str, shown: str) -> None:
    assert visible(line) == shown


def test_a_line_of_a_megabyte_is_cut() -> None:
    shown = visible("x" * 2**20)
    assert len(shown) < 2 * LONGEST
    assert shown.endswith("… (1,048,576 characters)")


@given(st.text(max_size=60))
def test_nothing_invisible_is_left(line: str) -> None:
    shown = visible(line)
    assert plain(shown) == " ".join(shown.split())
