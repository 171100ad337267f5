"""The six web tests with their rules: those of every workload (what an answer's headers say, and
which requests a connection must support), and those of a single test. `broken_rules` returns the
rules that a service breaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import partial

from runfair.conformance.fortune_rules import fortune_rules, right_page
from runfair.conformance.row_rules import (
    multiple_query_rules,
    right_row,
    rows_of,
    single_query_rules,
    update_rules,
)
from runfair.conformance.rule import Answer, Broken, Rule, Service, json_of, require
from runfair.formats.service import WebTest

PIPELINED = 16
# Date has a resolution of one second, and a server may renew it once a second.
DATE_MOVES_WITHIN_S = 2.2
_CLOCKS_DIFFER_BY_MOST = timedelta(seconds=5)
_SPLIT_REQUESTS, _SPLIT_PAUSE_S = 5, 0.05
_COMPRESSION = "Accept-Encoding: gzip, deflate, br, zstd"

Right = Callable[[Answer], None]
Asked = Sequence[tuple[str, Right]]  # the paths of requests, each with what its answer must be


def http_rules(
    path: str,
    kind: Sequence[str],
    right: Right,
    kept_alive: int,
    in_one_packet: Asked,
    *,
    pipelined: bool,
) -> list[Rule]:
    """The HTTP rules for a path. The answers must have one of the content types `kind`, and a body
    that `right` accepts without raising. `kept_alive` is the number of requests that a connection
    must serve. `in_one_packet` are the requests that are sent together. `pipelined` says whether
    the service must answer them; a service that states that it does not must not answer them.
    """
    pipelining = Rule("pipelining", lambda service: _pipelined(service, in_one_packet))
    return [
        Rule("headers", lambda service: _headers(service, path, kind, right)),
        Rule("no compression", lambda service: _not_compressed(service, path, right)),
        Rule("date", lambda service: _date_moves(service, path)),
        pipelining if pipelined else Rule("no pipelining", partial(_without, pipelining)),
        Rule("split packets", lambda service: _split(service, path, right)),
        Rule("keep-alive", lambda service: _kept_alive(service, path, right, kept_alive)),
    ]


def _headers(service: Service, path: str, kind: Sequence[str], right: Right) -> None:
    with service.connection() as connection:
        answer = connection.get(path)
    require(answer.status == 200, f"status {answer.status}")
    for name in ("Server", "Date"):
        require(answer.header(name) != "", f"the answer has no header {name}")
    said = answer.header("Content-Type")
    normal = said.lower().replace(" ", "").replace('"', "")
    require(
        normal in kind, f"the header Content-Type is {said!r}, but it must be {' or '.join(kind)}"
    )
    length, coding = answer.header("Content-Length"), answer.header("Transfer-Encoding")
    require(
        length == str(len(answer.body)) if length else coding.lower() == "chunked",
        "the length of the response is not stated: the header Content-Length is missing or wrong, "
        "and there is no header `Transfer-Encoding: chunked`",
    )
    right(answer)


def _not_compressed(service: Service, path: str, right: Right) -> None:
    with service.connection() as connection:
        answer = connection.get(path, [_COMPRESSION])
    coding = answer.header("Content-Encoding")
    require(coding in ("", "identity"), f"Content-Encoding is {coding!r}")
    right(answer)


def _date_moves(service: Service, path: str) -> None:
    with service.connection() as connection:
        first = connection.get(path).header("Date")
        time.sleep(DATE_MOVES_WITHIN_S)
        second = connection.get(path).header("Date")
    require(
        first != second,
        (
            f"the header Date must change with the time, but after {DATE_MOVES_WITHIN_S} s it is "
            f"still {first!r}"
        ),
    )
    try:
        moment = parsedate_to_datetime(second)
    except ValueError:
        raise Broken(f"the header Date is {second!r}, which is not a date") from None
    require(
        moment.tzinfo is not None,
        f"the header Date must end with GMT, but it is {second!r}",
    )
    away = abs(datetime.now(UTC) - moment)
    require(
        away <= _CLOCKS_DIFFER_BY_MOST,
        f"the header Date is {second!r}, which differs from the time on this machine by {away}",
    )


def _pipelined(service: Service, asked: Asked) -> None:
    """Sends several requests in one packet, and checks that they are answered in order."""
    with service.connection() as connection:
        connection.send(b"".join(connection.request(path) for path, _ in asked))
        for number, (_, right) in enumerate(asked, 1):
            try:
                right(connection.answer())
            except Broken as seen:
                raise Broken(
                    f"answer {number} to {len(asked)} requests in one packet: {seen}"
                ) from None


def _without(pipelining: Rule, service: Service) -> None:
    require(
        pipelining.broken_by(service) != "",
        "program.toml states `without_pipelining`, but the service answers pipelined requests; "
        "remove `without_pipelining` from this file",
    )


def _split(service: Service, path: str, right: Right) -> None:
    """Sends requests byte by byte, with a pause in the middle, so that the service reads an
    incomplete request. Several requests are sent, because on a busy machine a service may not run
    at all during one pause.
    """
    with service.connection() as connection:
        request = connection.request(path)
        for _ in range(_SPLIT_REQUESTS):
            for number, byte in enumerate(request):
                if number == len(request) // 2:
                    time.sleep(_SPLIT_PAUSE_S)
                connection.send(bytes([byte]))
            right(connection.answer())


def _kept_alive(service: Service, path: str, right: Right, requests: int) -> None:
    with service.connection() as connection:
        for number in range(requests):
            try:
                answer = connection.get(path)
            except OSError as error:
                raise Broken(
                    f"the server must keep the connection open, but closed it after {number} "
                    f"requests ({error})"
                ) from None
            right(answer)
            said = answer.header("Connection").lower()
            require(
                "close" not in said,
                (
                    "the server must keep the connection open, but its answer to request "
                    f"{number + 1} contains `Connection: close`"
                ),
            )


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
    in_one_packet: Asked = ()


def broken_rules(service: Service, rules: Sequence[Rule]) -> list[str]:
    """One line for each of the rules that the service breaks, with the rule's name."""
    return [seen for rule in rules if (seen := rule.broken_by(service))]


def rules_of(test: WebTest, *, pipelined: bool = True) -> list[Rule]:
    """The rules of a test. The rules that all tests share come first. `pipelined` says whether the
    service answers pipelined requests."""
    text = _TESTS[test]
    in_one_packet = text.in_one_packet or [(text.path, text.right)] * PIPELINED
    shared = http_rules(
        *(text.path, text.kinds, text.right, text.kept_alive, in_one_packet), pipelined=pipelined
    )
    return [*shared, *text.own]


def _beside_plaintext(asked: Asked) -> Asked:
    """Requests of a test with a database, each before one for plaintext, so that an answer in the
    wrong place is seen. The answer to plaintext waits for no query, so it overtakes if it can.
    """
    return [each for one in asked for each in (one, ("/plaintext", _right_plaintext))]


def _each_with_own_count(path: str) -> Asked:
    """Requests for 1, 2, 3 and so on rows."""
    return [
        (f"{path}?queries={count}", partial(_rows, count=count))
        for count in range(1, PIPELINED // 2 + 1)
    ]


def _right_plaintext(answer: Answer) -> None:
    require(answer.status == 200, f"status {answer.status}")
    require(answer.body == MESSAGE.encode(), f"the body is {answer.body[:80]!r}")


def _right_json(answer: Answer) -> None:
    value = json_of(answer)
    require(value == {"message": MESSAGE}, f"the body is {answer.body[:80]!r}")


def _rows(answer: Answer, count: int) -> None:
    rows_of(answer, count)


_two_rows = partial(_rows, count=2)


_TESTS: dict[WebTest, _Text] = {
    "plaintext": _Text("/plaintext", _PLAIN, _right_plaintext, _KEPT_ALIVE),
    "json": _Text("/json", _JSON, _right_json, _KEPT_ALIVE),
    "single-query": _Text(
        "/db",
        _JSON,
        right_row,
        _KEPT_ALIVE_WITH_DATABASE,
        single_query_rules("/db"),
        _beside_plaintext([("/db", right_row)] * (PIPELINED // 2)),
    ),
    "multiple-queries": _Text(
        "/queries?queries=2",
        _JSON,
        _two_rows,
        _KEPT_ALIVE_WITH_DATABASE,
        multiple_query_rules("/queries"),
        _beside_plaintext(_each_with_own_count("/queries")),
    ),
    "updates": _Text(
        "/updates?queries=2",
        _JSON,
        _two_rows,
        _KEPT_ALIVE_WITH_DATABASE,
        update_rules("/updates"),
        _beside_plaintext(_each_with_own_count("/updates")),
    ),
    "fortunes": _Text(
        "/fortunes",
        _HTML,
        right_page,
        _KEPT_ALIVE_WITH_DATABASE,
        fortune_rules("/fortunes"),
        _beside_plaintext([("/fortunes", right_page)] * (PIPELINED // 2)),
    ),
}
