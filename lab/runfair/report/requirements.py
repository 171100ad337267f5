"""What an experiment requires of its services: the table, the sentences and the gate of a run."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.errors import GateNotMet, InvalidResult
from runfair.formats.finding import VerdictState
from runfair.formats.result import RunResult
from runfair.formats.service import FailureLimit
from runfair.formats.service_result import Meets, RequirementOutcome
from runfair.wording import quantity
from runfair.wording.naming import label, requirement_text
from runfair.wording.table import Row, Table
from runfair.wording.text import plain

COLUMNS = ("service", "requirement", "measured (95%)", "met")
WORDS: dict[Meets, tuple[str, VerdictState]] = {
    "yes": ("yes", "fair"),
    "no": ("no", "void"),
    "unclear": ("not shown", "flagged"),
}


def requirement_table(title: str, found: Sequence[tuple[str, RequirementOutcome]]) -> Table:
    """The table of requirements, with a row for each service, by name, and requirement."""
    return Table(
        plain(f"{title} · requirements"), COLUMNS, tuple(_row(name, one) for name, one in found)
    )


def _row(name: str, found: RequirementOutcome) -> Row:
    words, state = WORDS[found.meets]
    return Row((name, requirement_text(found.requirement), _measured(found), words), state)


def unmet(name: str, found: RequirementOutcome) -> str:
    """The sentence about a requirement that the run does not show to be met."""
    verb = "misses" if found.meets == "no" else "may miss"
    return f"{name} {verb} {requirement_text(found.requirement)} ({_measured(found)})."


def require_met(result: RunResult) -> None:
    """The gate of a run. Raises GateNotMet (exit 4) if it does not show that a requirement is met,
    and InvalidResult (exit 3) if nothing is known of a required figure."""
    found = [
        (label(cell), one)
        for cell in result.cells
        if cell.service
        for one in cell.service.requirements
    ]
    missed = [unmet(*one) for one in found if one[1].is_missed]
    if missed:
        raise GateNotMet(f"{_of(missed, found)} not shown to be met: {missed[0]}")
    unknown = [unmet(*one) for one in found if one[1].meets != "yes"]
    if unknown:
        raise InvalidResult(f"{_of(unknown, found)} not judged: {unknown[0]}")


def _of(some: Sequence[object], found: Sequence[object]) -> str:
    plural = "s" * (len(found) != 1)
    return f"{len(some)} of {len(found)} requirement{plural} {'is' if len(some) == 1 else 'are'}"


def _measured(found: RequirementOutcome) -> str:
    """The interval of the required figure, and what stands against it."""
    if found.interval is None:
        return found.reason
    low, high = found.interval
    if isinstance(found.requirement, FailureLimit):
        text = f"{quantity.percent(low or 0.0)} to {quantity.percent(high or 0.0)}"
    else:
        text = quantity.bounded(low or high or 0.0, found.interval, "ns")
    return f"{text}; {found.reason}" if found.reason else text
