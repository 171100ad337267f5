"""The judgement of a picture whose numbers come from executions under the probe."""

from __future__ import annotations

from runfair.formats.finding import VerdictState
from runfair.formats.probe import ProbedResult
from runfair.report.page.picture import Explanation, Judgement


def judged(
    probed: ProbedResult, numbers: int, *, figures: str, found: str, matters: str
) -> Judgement:
    """The judgement of a picture with this many numbers. `found` says how the figures were
    measured, and `matters` what this means for them."""
    counts: dict[VerdictState, int] = {"fair": 0, "flagged": 0, "void": 0}
    counts[probed.verdict] = numbers
    explanation = Explanation(
        severity="limitation" if probed.verdict == "fair" else "warning",
        check="probe",
        figures=figures,
        found=(found, *([probed.reason] if probed.reason else [])),
        matters=matters,
        advice="",
    )
    return Judgement(probed.verdict, counts, (explanation,))
