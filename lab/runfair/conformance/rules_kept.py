"""The six web tests with their rules. `broken_rules` returns the rules that a service breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runfair.conformance.fortune_rules import fortune_rules, right_page
from runfair.conformance.http_rules import http_rules
from runfair.conformance.row_rules import (
    multiple_query_rules,
    right_row,
    rows_of,
    single_query_rules,
    update_rules,
)
from runfair.conformance.rule import Answer, Rule, Service, json_of, require
from runfair.formats.service import WebTest

MESSAGE = "Hello, World!"
_JSON = ("application/json", "application/json;charset=utf-8")
_PLAIN = ("text/plain", "text/plain;charset=utf-8")
_HTML = ("text/html;charset=utf-8",)
# Without a database a request takes a tenth of a millisecond, with one it takes one to ten.
_KEPT_ALIVE, _KEPT_ALIVE_WITH_DATABASE = 10_000, 500


@dataclass(frozen=True)
class _Text:
    path: str
    kinds: Sequence[str]
    right: Callable[[Answer], None]
    kept_alive: int
    own: Sequence[Rule] = ()


def broken_rules(service: Service, rules: Sequence[Rule]) -> list[str]:
    """One line for each of the rules that the service breaks, with the rule's name."""
    return [seen for rule in rules if (seen := rule.broken_by(service))]


def rules_of(test: WebTest, *, pipelined: bool = True) -> list[Rule]:
    """The rules of a test. The rules that all tests share come first. `pipelined` says whether the
    service answers pipelined requests."""
    text = _TESTS[test]
    shared = http_rules(text.path, text.kinds, text.right, text.kept_alive, pipelined=pipelined)
    return [*shared, *text.own]


def _right_plaintext(answer: Answer) -> None:
    require(answer.status == 200, f"status {answer.status}")
    require(answer.body == MESSAGE.encode(), f"the body is {answer.body[:80]!r}")


def _right_json(answer: Answer) -> None:
    value = json_of(answer)
    require(value == {"message": MESSAGE}, f"the body is {answer.body[:80]!r}")


def _right_rows(answer: Answer) -> None:
    rows_of(answer, 2)


_TESTS: dict[WebTest, _Text] = {
    "plaintext": _Text("/plaintext", _PLAIN, _right_plaintext, _KEPT_ALIVE),
    "json": _Text("/json", _JSON, _right_json, _KEPT_ALIVE),
    "single-query": _Text(
        "/db", _JSON, right_row, _KEPT_ALIVE_WITH_DATABASE, single_query_rules("/db")
    ),
    "multiple-queries": _Text(
        "/queries?queries=2",
        _JSON,
        _right_rows,
        _KEPT_ALIVE_WITH_DATABASE,
        multiple_query_rules("/queries"),
    ),
    "updates": _Text(
        "/updates?queries=2",
        _JSON,
        _right_rows,
        _KEPT_ALIVE_WITH_DATABASE,
        update_rules("/updates"),
    ),
    "fortunes": _Text(
        "/fortunes", _HTML, right_page, _KEPT_ALIVE_WITH_DATABASE, fortune_rules("/fortunes")
    ),
}
