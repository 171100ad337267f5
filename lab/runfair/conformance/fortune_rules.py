"""The rules of the test that renders the table Fortune as HTML."""

from __future__ import annotations

from html import escape
from html.parser import HTMLParser

from runfair.conformance.rule import Answer, Rule, Service, answers_at_once, require
from runfair.conformance.statement_tap import values
from runfair.conformance.sync_rule import sync_rule

ADDED = "Additional fortune added at request time."
_HEAD = "<!doctype html><html><head><title>Fortunes</title></head><body><table>"
_PLANTED = (9001, "<b>a rule's own</b> & “fortune”")


def fortune_rules(path: str) -> list[Rule]:
    """The rules of the test fortunes, except those of HTTP."""
    return [
        Rule("fortunes of the table", lambda service: _of_the_table(service, path)),
        Rule("not cached", lambda service: _not_cached(service, path)),
        Rule("one query a request", lambda service: _one_query(service, path)),
        sync_rule(path),
    ]


def right_page(answer: Answer) -> None:
    """Raises Broken if the answer is not a sorted page that contains the added row."""
    texts = [text for _, text in _rows(answer)]
    require(ADDED in texts, "the added fortune is missing")
    _require_sorted(texts)


def _of_the_table(service: Service, path: str) -> None:
    with service.connection() as connection:
        answer = connection.get(path)
    _require_rows(service, answer)


def _not_cached(service: Service, path: str) -> None:
    """Checks that the page is not cached: a row appears after it is added to the table, and
    disappears after it is removed.
    """
    query, _ = service.database()
    number, text = _PLANTED
    quoted = text.replace("'", "''")
    with service.connection() as connection:
        connection.get(path)
        query(f"INSERT INTO fortune (id, message) VALUES ({number}, '{quoted}')")
        try:
            _require_rows(service, connection.get(path))
        finally:
            query(f"DELETE FROM fortune WHERE id = {number}")
        _require_rows(service, connection.get(path))


def _one_query(service: Service, path: str) -> None:
    query, tap = service.database()
    stored = sorted(str(text).encode() for (text,) in query("SELECT message FROM fortune"))
    tap.forget()
    answers = answers_at_once(service, path)
    for answer in answers:
        right_page(answer)
    requests = len(answers)
    selects = tap.seen.queries_of("SELECT")
    whole = sum(one.rows_sent == len(stored) for one in selects)
    require(
        whole == len(selects) == requests,
        (
            f"each request must cause one SELECT that returns all fortunes, but for {requests} "
            f"requests the database received {len(selects)} SELECTs, of which {whole} returned "
            "all fortunes"
        ),
    )
    # The CPU time of a request is the server's alone, so its work must not be done by the database.
    for one in selects:
        texts = [b"".join(values(row)[1:]) for row in one.sent]
        require(
            sorted(texts) == stored,
            "the program must read the columns id and message, in this order, and escape the "
            "messages itself, but the database returned messages that are not those of the table",
        )
        require(
            texts != stored,
            "the program must sort the rows itself, but the database returned them sorted",
        )


def _require_rows(service: Service, answer: Answer) -> None:
    query, _ = service.database()
    rows = [(str(number), str(text)) for number, text in query("SELECT id, message FROM fortune")]
    wanted = sorted([*rows, ("0", ADDED)], key=lambda row: row[1].encode())
    found = _rows(answer)
    missing = [row for row in wanted if row not in found]
    require(not missing, f"the page lacks {missing[:1]}")
    require(
        len(found) == len(wanted),
        f"the page shows {len(found)} fortunes, but it must show {len(wanted)}",
    )
    _require_sorted([text for _, text in found])
    raw = answer.body.decode("utf-8", "replace")
    for _, text in rows:
        if escape(text, quote=False) != text:
            require(
                text not in raw,
                (
                    "the page must escape the text of a fortune, but it contains the unescaped "
                    f"text {text!r:.60}"
                ),
            )


def _require_sorted(texts: list[str]) -> None:
    require(
        texts == sorted(texts, key=str.encode),
        "the rows of the page are not sorted by the message of the fortune",
    )


def _rows(answer: Answer) -> list[tuple[str, str]]:
    """The rows of the page's table, without its header. Raises Broken if the page differs from the
    contract.
    """
    require(answer.status == 200, f"status {answer.status}")
    raw = answer.body.decode("utf-8", "replace")
    compact = "".join(line.strip() for line in raw.splitlines())
    require(
        compact.lower().startswith(_HEAD.lower()),
        f"the page must begin with {_HEAD!r}, but it begins with {compact[:80]!r}",
    )
    page = _Page()
    page.feed(raw)
    require(
        page.rows[:1] == [["id", "message"]],
        (
            "the first row of the page's table must contain `id` and `message`, but it contains "
            "something else"
        ),
    )
    shapes = {len(row) for row in page.rows}
    require(
        shapes == {2},
        (
            f"a row of the page's table has {max(shapes)} cells instead of 2, so the page does "
            "not escape the text of a fortune"
        ),
    )
    require(
        not page.foreign,
        f"the page contains the element <{page.foreign}>, which this page must not contain",
    )
    return [(number, text) for number, text in page.rows[1:]]


_ELEMENTS = {"html", "head", "title", "body", "table", "tr", "th", "td", "tbody", "thead", "meta"}


class _Page(HTMLParser):
    """A parser that collects the cells of a page's table."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.foreign = ""
        self._in_cell = False

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            self.foreign = tag
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data
