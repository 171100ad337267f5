"""Listings of source files with the results of the bytecode probe: each line's share of the CPU
time, and its bytecodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from runfair.formats.probe import LineShare, ProbedResult
from runfair.formats.source_lines import lines_of
from runfair.report.page.annotated_source import (
    HOT_SHARE,
    HOTTEST_NAMED,
    MOST_ANNOTATED,
    WIDTHS,
    AnnotatedSource,
    Hot,
    Mark,
    regions,
    visible,
)
from runfair.report.page.bytecodes import PROBED, bytecode_words, bytecodes_judged, probed_tables
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import anchor, brief, short

MOST_FILES = 4  # files of one runtime in one execution
SLOWEST = "CPU time, slowest 1% of requests"
ALL = "CPU time"
BYTECODES = "bytecodes"


def bytecode_sources(page_input: PageInput, legend: Legend) -> Iterator[AnnotatedSource]:
    """The listings of the hottest files of each probed execution, if the run has the text of these
    files."""
    texts = {
        one.record.id: one.probed.sources
        for cell in page_input.evidence.cells
        for one in cell.probed
    }
    for _, probed, table, title in probed_tables(page_input, legend):
        sources = texts.get(probed.execution, {})
        paths = [path for path in dict.fromkeys(one.path for one in table.lines) if path in sources]
        for path in paths[:MOST_FILES]:
            listing = _listing(path, sources[path], title, table.lines, probed)
            if listing is not None:
                yield listing


def _listing(
    path: str, text: str, title: str, found: Sequence[LineShare], probed: ProbedResult
) -> AnnotatedSource | None:
    """The listing of a file; None if the file has too few lines to be the file that ran."""
    slow = probed.slow
    lines = lines_of(text)
    every = _by_line(one for one in found if one.path == path)
    if not every or max(every) > len(lines):
        return None
    slowest = {} if slow is None else _by_line(one for one in slow.lines if one.path == path)
    shares: list[Mapping[int, LineShare]] = [slowest, every] if slow is not None else [every]
    columns = (*((SLOWEST,) if slow is not None else ()), ALL, BYTECODES)
    ranked = sorted(
        every,
        key=lambda line: (-max(one[line].share for one in shares if line in one), line),
    )[:MOST_ANNOTATED]

    def marks(line: int) -> tuple[Mark | None, ...]:
        drawn = [_mark(one, line) for one in shares]
        return (*drawn, Mark(bytecode_words(every[line]), 0, hot=False))

    name = f"{short(path.rpartition('/')[2])} · {title}"
    return AnnotatedSource(
        name=anchor("bytecode-source", name),
        title=name,
        caption=(
            "The length of a bar is the line's time as a share of the hottest line's time. Lines "
            "with at least half of the hottest line's time are marked with ▶. The number beside "
            f"a bytecode is the bytecode's share of the line's time. {PROBED}"
        ),
        columns=columns,
        hottest=tuple(
            Hot(line, f"line {line}: {quantity.percent(_first(shares, line))}")
            for line in ranked[:HOTTEST_NAMED]
        ),
        regions=tuple(regions(lines, set(ranked), marks, len(columns))),
        table=_table(name, lines, columns, shares, ranked),
        judgement=bytecodes_judged(probed, len(every)),
    )


def _by_line(shares: Iterable[LineShare]) -> dict[int, LineShare]:
    """The CPU shares of each line; functions on the same line are added up."""
    found: dict[int, LineShare] = {}
    for one in shares:
        known = found.get(one.line)
        share = one.share + (known.share if known is not None else 0.0)
        found[one.line] = one.model_copy(update={"share": share})
    return found


def _mark(shares: Mapping[int, LineShare], line: int) -> Mark | None:
    if line not in shares:
        return None
    part = shares[line].share / max(one.share for one in shares.values())
    width = max(1, round(WIDTHS * part))
    return Mark(quantity.percent(shares[line].share), width, hot=part >= HOT_SHARE)


def _first(shares: Sequence[Mapping[int, LineShare]], line: int) -> float:
    """The share of the line in the first column that has a share for it."""
    return next(one[line].share for one in shares if line in one)


def _table(
    title: str,
    lines: Sequence[str],
    columns: Sequence[str],
    shares: Sequence[Mapping[int, LineShare]],
    ranked: Sequence[int],
) -> Table:
    rows = [
        Row(
            (
                str(line),
                *(quantity.percent(one[line].share) if line in one else "" for one in shares),
                bytecode_words(shares[-1][line]),
                brief(visible(lines[line - 1]), 100),
            ),
            None,
        )
        for line in ranked
    ]
    return Table(title, ("line", *columns, "source"), tuple(rows))
