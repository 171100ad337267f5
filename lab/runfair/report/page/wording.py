"""Texts of a run as the page shows them: one line, visible, of bounded length, told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from runfair.formats.result import CellResult
from runfair.report.plain_text import plain
from runfair.report.surroundings import surroundings

LONGEST = 400
LONGEST_NAME = 60
_MOST_READ = 20 * LONGEST  # of a text of megabytes no more is looked at


def brief(text: str, longest: int = LONGEST) -> str:
    """The text, cut where it is longer than anybody reads; how long it was is said."""
    shown = plain(text[:_MOST_READ])
    if len(text) <= _MOST_READ and len(shown) <= longest:
        return shown
    return f"{shown[:longest]}… ({len(text):,} characters)"


def short(name: str) -> str:
    """A name where there is little room: what tells names apart is often their ends."""
    shown = brief(name)
    if len(shown) <= LONGEST_NAME:
        return shown
    half = LONGEST_NAME // 2
    return f"{shown[:half]}…{shown[-half:]}"


def label(cell: CellResult) -> str:
    """Whom a mark stands for: the variant, with what else tells it apart."""
    variant = short(cell.variant)
    if cell.service is None:
        return variant if cell.tier == "standard" else f"{variant} ({short(cell.tier)})"
    if cell.tier == "own":
        return variant
    return f"{short(cell.service.service)} ({variant})"


def workload(cell: CellResult) -> str:
    """Which row: the benchmark, its workload, and the seed where it is not the usual one."""
    parts = [short(cell.benchmark), short(cell.workload)]
    if cell.own:
        parts.append(short(cell.own))
    if cell.seed != 1:
        parts.append(f"seed {cell.seed}")
    if cell.drive is not None:
        count = cell.drive.connections
        parts.append(f"{count} connection" + ("" if count == 1 else "s"))
    return " · ".join(parts)


def kind(cell: CellResult) -> str:
    """What the rows of one picture have in common."""
    return " · ".join([short(cell.size), cell.mode, *surroundings(cell.threads, cell.factors)])


def distinct(names: Iterable[str]) -> list[str]:
    """The names in order, each once; those that were cut to the same are numbered."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return told


def anchor(*parts: str) -> str:
    """A name for a link and for a file."""
    folded = re.sub(r"[^a-z0-9.]+", "-", " ".join(part[:80] for part in parts).lower())
    return folded.strip("-.")[:120] or "picture"
