"""Pages of services whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence

from evidence.honest_services import ServiceRun
from runfair.decision.answer import Requirements, answer
from runfair.fairness.verdict import judge
from runfair.formats.event import Event
from runfair.report.page.contents import Contents, contents
from runfair.report.page.page_input import PageInput
from runfair.result.run import assemble


def page_of_services(run: ServiceRun) -> Contents:
    """With the events, the interval logs and the decision that a run's folder would give."""
    evidence = run.evidence()
    judged = judge(evidence)

    def events(execution: str) -> Sequence[Event] | None:
        return run.loads[execution].events

    return contents(
        PageInput(
            evidence,
            assemble("run", evidence, judged),
            events=events,
            intervals=lambda execution: run.loads[execution].intervals,
            answers=answer(evidence, judged, run.traces, Requirements()),
        )
    )
