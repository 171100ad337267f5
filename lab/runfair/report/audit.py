"""An audit on the terminal: the conclusions, then each mistake with its status and evidence.

A file may contain thousands of results of the same kind, for example a file of framework
benchmarks. If several results of a tool have the same statuses, only the first is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from runfair.formats.foreign.result import Audit, AuditedResult, Comparison, Judgement, Status
from runfair.wording import quantity
from runfair.wording.text import plain

# Colour only repeats the words of the status column. The judgements appear in this order.
STYLES: dict[Status, str] = {
    "established": "red",
    "cannot be established": "yellow",
    "excluded": "green",
}
LONGEST_COMMAND = 100


def print_audit(audit: Audit, console: Console) -> None:
    for members in _alike(audit.results):
        first = members[0]
        console.print(Text(title(first), style="bold"), soft_wrap=True)
        if first.command:
            console.print(Text(f"  {_short(plain(first.command))}", style="dim"), soft_wrap=True)
        for conclusion in conclusions(first):
            console.print(Text(conclusion), soft_wrap=True)
        console.print()
        _print_judgements(first.judgements, console)
        if len(members) > 1:
            others = ", ".join(f"“{_name(each)}”" for each in members[1:4])
            more = "" if len(members) <= 4 else f" and {len(members) - 4:,} more"
            said = f"The same findings apply to other results of this file: {plain(others)}{more}."
            console.print(Text(said), soft_wrap=True)
        console.print()
    for comparison in audit.comparisons:
        console.print(Text(_compared(comparison), style="bold"), soft_wrap=True)
        _print_judgements(comparison.judgements, console)
        console.print()


def title(audited: AuditedResult) -> str:
    """The title of a result, for example `wrk · 64 connections · duration 10 s · 123,571
    requests/s`, and its place in the file."""
    result = audited.result
    parts = [f"{result.tool} {result.version}" if result.version else result.tool]
    if result.name:
        parts.append(result.name if result.kind == "load" else f"{result.named} “{result.name}”")
    if result.connections is not None:
        parts.append(result.at_once)
    if result.duration_ns:
        parts.append(f"duration {quantity.duration(result.duration_ns)}")
    if result.rate_per_s is not None:
        parts.append(f"{quantity.three_digits(result.rate_per_s)} requests/s")
    elif result.latencies.mean_ns is not None:
        parts.append(f"mean time {quantity.duration(result.latencies.mean_ns)}")
    parts.append(f"{audited.file}:{result.line}")
    if not result.seen:
        parts.append(
            "runfair may misread this format, because its importer was written from the "
            "tool's documentation alone, not from a real result"
        )
    if result.broken_off:
        parts.append("the result is incomplete, because a line of the file cannot be read")
    return plain(" · ".join(parts))


def conclusions(audited: AuditedResult) -> list[str]:
    """A sentence about what the result shows, and another about what it does not show, if any."""
    shown = "; ".join(audited.can_be_said) or "nothing"
    sentences = [f"What this result shows: {shown}."]
    if audited.cannot_be_said:
        sentences.append(f"What this result does not show: {'; '.join(audited.cannot_be_said)}.")
    return [plain(sentence) for sentence in sentences]


def _alike(results: Sequence[AuditedResult]) -> list[list[AuditedResult]]:
    groups: dict[object, list[AuditedResult]] = {}
    for each in results:
        statuses = tuple((one.mistake, one.status) for one in each.judgements)
        # If a file has a single result, it is shown separately.
        key = (each.file, each.result.tool, each.result.line, statuses)
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def _name(audited: AuditedResult) -> str:
    return audited.result.name or f"{audited.file}:{audited.result.line}"


def _compared(comparison: Comparison) -> str:
    shown = ", ".join(comparison.results[:4])
    more = "" if len(comparison.results) <= 4 else f" and {len(comparison.results) - 4:,} more"
    return plain(f"comparison of {comparison.tool} results · {shown}{more}")


def _print_judgements(judgements: Sequence[Judgement], console: Console) -> None:
    grid = Grid(box=box.SIMPLE, show_header=False, pad_edge=False, show_edge=False)
    for wraps in (False, False, True):
        grid.add_column(no_wrap=not wraps)
    order = list(STYLES)
    for each in sorted(judgements, key=lambda each: order.index(each.status)):
        grid.add_row(
            Text(f"  {each.title}"),
            Text(each.status, style=STYLES[each.status]),
            Text(plain(each.evidence)),
        )
    console.print(grid)


def _short(command: str) -> str:
    return command if len(command) <= LONGEST_COMMAND else f"{command[: LONGEST_COMMAND - 1]}…"
