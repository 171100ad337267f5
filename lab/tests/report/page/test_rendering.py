"""The page as HTML: nothing in it runs but its own two scripts, whatever a run holds."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO

import pytest
from rich.console import Console

from evidence.honest_run import RUNTIMES, honest_run
from report.page.hostile import HOSTILE, LONG, hostile_programs, hostile_services
from report.page.pages import embedded, page_of, picture
from report.page.service_pages import page_of_services
from result.test_run import result_of
from runfair.report.markdown import markdown
from runfair.report.page.contents import Contents
from runfair.report.page.picture import rows
from runfair.report.page.rendering import html
from runfair.report.terminal import print_result
from runfair.wording.text import plain

DANGEROUS = frozenset({"b", "base", "embed", "iframe", "img", "link", "object", "svg"})


class Elements(HTMLParser):
    """The page's elements as a browser finds them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.scripts: list[str | None] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if tag == "script":
            self.scripts.append(dict(attrs).get("type"))


@pytest.fixture(scope="module", params=["programs", "services"])
def hostile(request: pytest.FixtureRequest) -> Contents:
    if request.param == "programs":
        return page_of(hostile_programs())
    return page_of_services(hostile_services())


def test_hostile_texts_are_texts(hostile: Contents) -> None:
    page = html(hostile)
    seen = Elements(page)
    assert not set(seen.names) & DANGEROUS
    assert seen.handlers == []
    assert seen.scripts.count(None) == 2
    assert seen.scripts.count("application/json") == len(hostile.pictures)
    assert "window.owned" in page.replace("&#39;", "'")  # it is there, as a text
    assert "<script>window.owned" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_what_is_drawn_is_what_was_meant(hostile: Contents) -> None:
    data = embedded(html(hostile))
    assert data == [
        json.loads(json.dumps({"spec": one.spec, "data": one.data})) for one in hostile.pictures
    ]
    assert plain(HOSTILE)[:30] in str(data)


def test_no_text_of_a_run_stands_in_an_expression(hostile: Contents) -> None:
    def expressions(node: object) -> list[str]:
        if isinstance(node, dict):
            own = [
                str(node[key])
                for key in ("expr", "test", "filter", "calculate", "labelExpr", "signal")
                if key in node
            ]
            return own + [one for value in node.values() for one in expressions(value)]
        if isinstance(node, list):
            return [one for value in node for one in expressions(value)]
        return []

    found = [one for picture in hostile.pictures for one in expressions(picture.spec)]
    assert found
    assert not [one for one in found if "owned" in one]


def test_a_megabyte_of_name_does_not_fill_the_page() -> None:
    page = page_of(hostile_programs(LONG))
    assert len(html(page)) < 3_000_000
    assert "characters)" in page.header.facts[0][1]
    # Names that are cut to the same are told apart.
    assert len(set(page.pictures[0].data["values"]["series"])) == len(RUNTIMES)


def test_a_megabyte_of_name_does_not_fill_the_terminal_nor_a_file() -> None:
    result = result_of(hostile_programs(LONG))
    shown = StringIO()
    print_result(result, Console(file=shown, width=160))
    for text in (shown.getvalue(), markdown(result)):
        assert "characters)" in text
        assert len(text) < 1_000_000


def test_rows_that_are_left_out_at_the_top_are_counted() -> None:
    contents = page_of(honest_run())
    conclusion = contents.header.conclusion
    question = conclusion.questions[0]
    for count, said in ((30, ""), (33, "and 3 more in the tables")):
        many = replace(question, rows=question.rows[:1] * count)
        header = replace(contents.header, conclusion=replace(conclusion, questions=(many,)))
        top = html(replace(contents, header=header)).partition('<dl class="facts">')[0]
        assert ("more in the tables" in top) == bool(said)
        assert said in top


def test_readings_before_another_start_are_in_the_table_and_the_caption_says_so() -> None:
    run = honest_run()
    half = len(run.readings) // 2
    earlier = tuple(one.model_copy(update={"boot_id": "before"}) for one in run.readings[:half])
    one = picture(page_of(replace(run, readings=earlier + run.readings[half:])), "How fast")
    assert one.caption.endswith("the table shows the readings after all 2 starts.")
    assert len(one.data["readings"]["x"]) == len(run.readings) - half
    assert sum(int(row.cells[2].replace(",", "")) for row in one.table.rows) == len(run.readings)
    assert "starts" not in picture(page_of(run), "How fast").caption


def test_anchors_are_told_apart(hostile: Contents) -> None:
    names = [one.name for one in hostile.pictures]
    assert len(set(names)) == len(names)


def test_the_policy_allows_two_scripts_and_no_connection() -> None:
    page = html(page_of(honest_run()))
    policy = page.split('http-equiv="Content-Security-Policy" content="')[1].split('">')[0]
    assert "default-src &#39;none&#39;" in policy
    assert policy.count("sha256-") == 3
    assert "unsafe" not in policy
    assert "http" not in policy


def test_data_come_back_as_rows() -> None:
    assert list(rows({"x": [1, 2], "y": ["a", None]})) == [{"x": 1, "y": "a"}, {"x": 2, "y": None}]


def test_the_same_run_gives_the_same_page() -> None:
    assert html(page_of(honest_run())) == html(page_of(honest_run()))
