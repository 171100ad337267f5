"""The short form of a conclusion: it fits the height and width of a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, set_cell_size

from runfair.report.conclusion.conclusion import Conclusion
from runfair.report.conclusion.question import FLAGGED, Question

WIDTH = 80
HEIGHT = 24
LABEL = 11
INDENT = "  "
GAP = "  "
NARROWEST = 24  # the narrowest first column, if others need the room
SMALL_TABLE = 6  # the rows of a table that is more important than a second sentence
FIRST_ROWS = 2  # the rows of a larger table that are more important than a second sentence
ABSENT = 2  # the texts of a row without figures: the name, and the reason
MOST_DOUBT_LINES = 2
MORE = " …"
RAGGED = 10  # the characters that wrapping may leave free at the end of a doubt's first line
MOST_LINES = 3  # the most lines of a sentence, or of a text in a row
FULL = 1 / 2  # of the room

_CLAUSE = re.compile(r"[:;,] ")


@dataclass(frozen=True)
class _Shown:
    """The numbers of a question's rows and sentences that are shown."""

    question: Question
    rows: int = 0
    sentences: int = 1


def short_form(
    conclusion: Conclusion, look: str, *, width: int = WIDTH, height: int = HEIGHT
) -> list[str]:
    """The conclusion in at most `height` lines of at most `width` characters; only file names and
    commands may be wider, because they are never cut. Every question shows its answer. If there is
    room, small tables follow, then the first rows of larger tables, further sentences, more rows,
    and a second line of the first doubts."""
    shown = [_Shown(one) for one in conclusion.questions[:height]]

    def laid_out(chosen: Sequence[_Shown], longer_doubts: int = 0) -> list[str]:
        return _lines(conclusion, chosen, look, width, longer_doubts)

    while shown and len(laid_out(shown)) > height:
        shown.pop()
    for grown in (_with_small_table, _with_first_row, _with_sentence, _with_row):
        before: list[_Shown] = []
        while shown != before:
            before = shown
            for place, one in enumerate(before):
                tried = [*shown[:place], grown(one), *shown[place + 1 :]]
                if len(laid_out(tried)) <= height:
                    shown = tried
    for longer_doubts in range(len(conclusion.doubts), 0, -1):
        lines = laid_out(shown, longer_doubts)
        if len(lines) <= height:
            return lines
    return laid_out(shown)


def table(question: Question, width: int) -> list[str]:
    """A question as text: its title, all rows, and its first sentence."""
    return _question(_Shown(question, rows=len(question.rows)), width)


def _with_small_table(one: _Shown) -> _Shown:
    count = len(one.question.rows)
    return replace(one, rows=count) if count <= SMALL_TABLE else one


def _with_first_row(one: _Shown) -> _Shown:
    return one if one.rows >= FIRST_ROWS else _with_row(one)


def _with_row(one: _Shown) -> _Shown:
    return replace(one, rows=min(one.rows + 1, len(one.question.rows)))


def _with_sentence(one: _Shown) -> _Shown:
    return replace(one, sentences=min(one.sentences + 1, len(one.question.sentences)))


def _lines(
    conclusion: Conclusion, shown: Sequence[_Shown], look: str, width: int, longer_doubts: int
) -> list[str]:
    lines = [line for name, text in conclusion.facts for line in _labelled(name, text, width)]
    for one in shown:
        lines += ["", *_question(one, width)]
    if left := len(conclusion.questions) - len(shown):
        plural = "s" * (left != 1)
        lines += ["", f"{left} more question{plural}: the page and the tables contain the answers"]
    lines.append("")
    for place, doubt in enumerate(conclusion.doubts or ("none",)):
        label = "Doubts" * (place == 0)
        if place < longer_doubts:
            room = MOST_DOUBT_LINES * (width - LABEL) - RAGGED
            lines += _labelled(label, _clause(doubt, room), width)
        else:
            lines.append(f"{label:<{LABEL}}{_clause(doubt, width - LABEL)}")
    return [*lines, f"{'Look':<{LABEL}}{look}"]


def _question(shown: _Shown, width: int) -> list[str]:
    question = shown.question
    lines = _wrapped(question.title, width, "")
    rows = question.rows[: shown.rows]
    doubt = _common_doubt(question.rows)
    if doubt:
        rows = tuple(row[:-1] if len(row) > ABSENT else row for row in rows)
    if rows and question.heading:
        rows = (question.heading, *rows)
    lines += _table(rows, width)
    if rows and doubt:
        lines.append(f"{INDENT}All {doubt}.")
    if 0 < shown.rows < len(question.rows):
        lines.append(f"{INDENT}… {len(question.rows) - shown.rows} more")
    # A sentence that only repeats the rows is left out.
    repeated = question.in_rows and shown.rows == len(question.rows)
    for sentence in question.sentences[int(repeated) : shown.sentences]:
        lines += _wrapped(sentence, width, INDENT)
    return lines


def _common_doubt(rows: Sequence[Sequence[str]]) -> str:
    """The remark `flagged: …` if all rows with figures end with the same, otherwise empty. A row
    without figures consists of a name and a reason."""
    ends = [row[-1] for row in rows if len(row) > ABSENT]
    same = len(ends) > 1 and len(set(ends)) == 1
    return ends[0] if same and ends[0].startswith(f"{FLAGGED}: ") else ""


def _table(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The rows as aligned columns. If needed, the first column is narrowed, down to `NARROWEST`. A
    row that is still too wide continues in the next line, under its second column. The last text of
    a row is often a remark, so it does not determine the width of a column. If there is no room for
    the reason of `flagged`, it is left out."""
    count = max(map(len, rows), default=0)
    widths = [
        max((cell_len(row[place]) for row in rows if place < len(row) - 1), default=0)
        for place in range(count)
    ]
    rows = [_without_reason(row) if _excess(row, widths, width) > 0 else row for row in rows]
    excess = max((_excess(row, widths, width) for row in rows), default=0)
    if excess > 0:
        widths[0] = max(min(widths[0], NARROWEST), widths[0] - excess)
    return [
        line
        for row in rows
        for line in _folded((_ends(row[0], widths[0]), *row[1:]), widths, width)
    ]


def _excess(row: Sequence[str], widths: Sequence[int], width: int) -> int:
    return cell_len(_padded(row, widths)) - width


def _without_reason(row: Sequence[str]) -> Sequence[str]:
    return (*row[:-1], FLAGGED) if row[-1].startswith(f"{FLAGGED}: ") else row


def _padded(row: Sequence[str], widths: Sequence[int]) -> str:
    return INDENT + GAP.join(_cells(row, widths))


def _cells(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    *before, last = row
    padded = (
        text + " " * (width - cell_len(text)) for text, width in zip(before, widths, strict=False)
    )
    return [*padded, last]


def _folded(row: Sequence[str], widths: Sequence[int], width: int) -> Iterator[str]:
    """A row, divided into as many lines as it needs."""
    name, *cells = _cells(row, widths)
    beneath = " " * cell_len(INDENT + name)
    line = INDENT + name
    for place, text in enumerate(cells):
        if cell_len(f"{line}{GAP}{text}".rstrip()) <= width:
            line += GAP + text
            continue
        # A text that needs more than a line begins beside the name.
        if place > 0:
            yield line.rstrip()
            line = beneath
        *whole, last = _wrapped(text, width - cell_len(beneath + GAP), "") or [""]
        for part in whole:
            yield line + GAP + part
            line = beneath
        line += GAP + (last if whole else text)
    yield _cut(line.rstrip(), width)


def _labelled(name: str, text: str, width: int) -> list[str]:
    first, *others = _wrapped(text, width - LABEL, "") or [""]
    return [f"{name:<{LABEL}}{first}", *(" " * LABEL + one for one in others)]


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        max_lines=MOST_LINES,
        placeholder=" …",
        break_on_hyphens=False,
    )
    return [_cut(line, width) for line in lines]


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def _clause(text: str, width: int) -> str:
    """The text, shortened to one line: its last clauses are left out if that suffices, otherwise it
    is cut. The sign … shows that something is missing."""
    if cell_len(text) <= width:
        return text
    ends = [one.start() for one in _CLAUSE.finditer(text) if one.start() + len(MORE) <= width]
    # The first colon ends the subject, which may be a list of names; without a colon the first
    # separator ends it. The text is not cut there, nor in the first half of the room behind it.
    subject = max(text.find(": "), *ends[:1], 0)
    if ends and ends[-1] > subject + FULL * (width - subject):
        return text[: ends[-1]] + MORE
    return _cut(text, width)


def _ends(text: str, width: int) -> str:
    """The beginning and the end of a text. Both ends are kept because names often differ only at
    the end."""
    if cell_len(text) <= width:
        return text
    half = (width - 1) // 2
    return f"{set_cell_size(text, width - 1 - half)}…{set_cell_size(text[::-1], half)[::-1]}"
