"""A smoke run shows that things work, and nothing more.

**Looks for** the profile `smoke`.

**Threshold** every figure is flagged at least.

**Source** docs/glossary.md (profile).

**What to do** `./runfair run --profile quick`, or a greater one.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.fairness.evidence import RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding

NAME = "smoke"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    if run.plan.profile == "smoke":
        yield Finding(
            check=NAME,
            severity="warning",
            cell=None,
            figures=[*FIGURES],
            text="a smoke run is never fair: it is too short for any figure",
            advice="`./runfair run --profile quick`",
        )
