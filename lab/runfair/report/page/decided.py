"""The decision in words, as `./runfair decide` has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runfair.decision.tail import alternatives, between_ms, tail_words
from runfair.formats.decision import Answer, TailAccount
from runfair.wording.table import Row, Table
from runfair.wording.text import brief

MOST_SHOWN = 20


@dataclass(frozen=True)
class Decided:
    """At one operating point: what is said, what speaks against relying on it, and the baseline's
    slowest requests one by one."""

    title: str
    said: tuple[str, ...]
    doubts: tuple[str, ...]
    slowest: Table | None = None


def decided(answers: Sequence[Answer]) -> tuple[Decided, ...]:
    return tuple(
        Decided(
            brief(one.title),
            tuple(map(brief, _said(one))),
            tuple(map(brief, _doubts(one))),
            None if one.tail is None or not one.tail.count else _slowest(one.tail),
        )
        for one in answers
    )


def _said(one: Answer) -> list[str]:
    lines = [one.note] if one.note else []
    for each in one.candidates:
        lines.append(f"{each.service}: {each.sentence}")
        lines += [f"{each.service} {each.payback.text}"] if each.payback is not None else []
    for line in one.services:
        role = " (baseline)" if line.baseline else ""
        lines.append(f"{line.service}{role}: {line.text}")
    return [*lines, *one.account, *(tail_words(one.tail)[:1] if one.tail is not None else [])]


def _doubts(one: Answer) -> list[str]:
    return list(dict.fromkeys(doubt for each in one.candidates for doubt in each.doubts))


def _slowest(tail: TailAccount) -> Table:
    """Every part of each, in ms."""
    shown = tail.slowest[:MOST_SHOWN]
    causes = [cause for cause in tail.time_shares if any(one.parts_ns[cause][1] for one in shown)]
    return Table(
        title="The slowest requests, one by one",
        columns=("meant to go at", "latency", *(f"{cause}, ms" for cause in causes), "slow by"),
        rows=tuple(
            Row(
                (
                    f"{one.intended_ns / 1e9:.3f} s",
                    f"{one.latency_ns / 1e6:,.2f} ms",
                    *(between_ms(one.parts_ns[cause]) for cause in causes),
                    alternatives(one.slow_by),
                ),
                None,
            )
            for one in shown
        ),
        notes=("Two numbers are a lower and an upper limit.",),
    )
