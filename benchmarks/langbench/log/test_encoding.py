"""Tests the encoding of arbitrary bytes, by the transcription of the contract and by the program in
Python."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langbench.log import transcription
from langbench.log.python.archive import Archive, Parser
from langbench.log.python.counts import Counts
from langbench.log.python.query import Plan, Query
from langbench.log.python.tokens import TOKEN, VARIABLE, number_code, number_text

# Bytes with a meaning for the tokeniser, which are drawn more often than others.
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(list(b"0123456789ab=.-+_/\\ :,\n\r\x11\x12\xc3\x00")), st.integers(0, 255)
    ),
    max_size=60,
).map(bytes)
QUERIES = st.text(alphabet="0012ab=.-+_/ :*", min_size=1, max_size=12)


def decoded(archive: Archive, block: int) -> list[bytes]:
    files = []
    for messages in archive.renumber(block):
        at, lines = 0, []
        for number in messages.types:
            log_type = archive.log_types[number]
            end = at + len(log_type.kinds)
            lines.append(archive.decode(log_type, messages.values[at:end]))
            at = end
        assert at == len(messages.values)
        files.append(b"\n".join(lines) + (b"\n" if lines and messages.ended else b""))
    return files


@given(st.lists(st.lists(TEXTS, max_size=3), min_size=1, max_size=3))
def test_every_byte_comes_back(blocks: list[list[bytes]]) -> None:
    parsers = []
    for block in blocks:
        parsers.append(Parser({}, {}))
        for content in block:
            parsers[-1].parse(content)
    archive = Archive(parsers)
    assert [decoded(archive, worker) for worker in range(len(blocks))] == blocks


@given(TEXTS)
def test_variables_are_the_contracts(text: bytes) -> None:
    tokens = list(transcription.spans(text))
    assert [match.span() for match in TOKEN.finditer(text)] == tokens
    variables = [span for span in tokens if transcription.is_variable(text, *span)]
    assert [match.span() for match in VARIABLE.finditer(text)] == variables


@given(st.from_regex(rb"\A-?[0-9]{1,10}(\.[0-9]{1,3})?\Z"))
def test_numbers_come_back_from_codes_that_javascript_can_hold(text: bytes) -> None:
    code = transcription.number_code(text)
    assert code is not None and 0 < code < 2**53
    assert number_text(code) == text
    match = VARIABLE.fullmatch(text)
    assert match and number_code(*match.groups(b"")) == code


def test_what_is_no_number() -> None:
    for text in (
        b"-",
        b".5",
        b"5.",
        b"1.2.3",
        b"+5",
        b"--5",
        b"12345678901234",
        b"1.2345678901234",
    ):
        assert transcription.number_code(text) is None
    assert transcription.number_code(b"007") == (7 * 16 + 3) * 32
    assert transcription.number_code(b"-0.50") == (50 * 16 + 3) * 32 + 2 * 2 + 1
    assert transcription.number_code(b"9999999999999") is not None


@given(st.lists(TEXTS, min_size=1, max_size=4), QUERIES)
def test_the_index_finds_what_is_there(files: list[bytes], text: str) -> None:
    """The index never excludes a line that matches."""
    folder = {f"{number}.log": content for number, content in enumerate(files)}
    expected = transcription.searched(folder, [text]).matches
    answer = transcription.indexed(folder, [text])
    assert answer.matches == expected
    parser = Parser({}, {})
    for content in files:
        parser.parse(content)
    archive = Archive([parser])
    query = Query(text)
    plan = Plan(query, archive)
    counts = Counts()
    found = [line for m in archive.renumber(0) for line in plan.search(archive, m, counts)]
    assert [found] == expected
    candidates = sum(len(list(plan.candidates(archive, m))) for m in archive.renumber(0))
    assert candidates == answer.counters["candidates"]
    expression = query.expression()
    lines = [line for content in files for line in transcription.lines_of(content)]
    assert [[line for line in lines if expression.search(line)]] == expected


def test_an_index_that_is_too_strict_would_be_caught() -> None:
    """Each rule of `cut` excludes exactly the lines that it may exclude. These are its edge
    cases."""
    lines = [b"task_7 done", b"xtask_7 done", b"task_71 done", b"a=b c", b"a=bc d", b"v=5", b"v=-5"]
    folder = {"a.log": b"\n".join(lines)}
    for query, hits in {
        "task_7 ": [b"task_7 done", b"xtask_7 done"],
        "task_7": [b"task_7 done", b"xtask_7 done", b"task_71 done"],
        "=b": [b"a=b c", b"a=bc d"],
        "=b ": [b"a=b c"],
        "5": [b"v=5", b"v=-5"],
        "=5": [b"v=5"],
        "t*7*d": [b"task_7 done", b"xtask_7 done", b"task_71 done"],
        "*": lines,
    }.items():
        assert transcription.indexed(folder, [query]).matches == [hits], query
