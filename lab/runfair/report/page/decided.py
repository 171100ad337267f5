"""The decision in words, as `./runfair decide` has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.decision.answer import Answer
from runfair.report.page.wording import brief


@dataclass(frozen=True)
class Decided:
    """At one operating point: what is said, and what speaks against relying on it."""

    title: str
    said: tuple[str, ...]
    doubts: tuple[str, ...]


def decided(answers: Sequence[Answer]) -> tuple[Decided, ...]:
    return tuple(
        Decided(brief(one.title), tuple(map(brief, _said(one))), tuple(map(brief, _doubts(one))))
        for one in answers
    )


def _said(one: Answer) -> list[str]:
    lines = [one.note] if one.note else []
    lines += [f"{each.service}: {each.sentence}" for each in one.candidates]
    for line in one.services:
        role = " (baseline)" if line.baseline else ""
        lines.append(f"{line.service}{role}: {line.text}")
    return [*lines, *one.account]


def _doubts(one: Answer) -> list[str]:
    return list(dict.fromkeys(doubt for each in one.candidates for doubt in each.doubts))
