"""The classes of frameworks, as tables name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from runfair.formats.peak import Classification
from runfair.formats.result import CellResult
from runfair.wording.text import plain

UNCLASSIFIED = "without a class"


def class_text(classification: Classification | None) -> str:
    return UNCLASSIFIED if classification is None else classification.text


def mixed_classes(cells: Sequence[CellResult]) -> Iterator[str]:
    """A note under a table whose services belong to several classes, with the class of each."""
    members: dict[str, list[str]] = {}
    for cell in cells:
        served = members.setdefault(class_text(cell.classification), [])
        name = cell.tier if cell.served is None else cell.served.service
        if name not in served:
            served.append(name)
    if len(members) > 1:
        told = "; ".join(f"{text}: {', '.join(names)}" for text, names in members.items())
        yield plain(f"this table mixes classes; compare only within a class. {told}")
