"""A smoke run only shows that everything works.

**Looks for** a run with the profile `smoke`.

**Threshold** All measured values of a run with the profile `smoke` are flagged (marked as
doubtful), unless they are void (invalid) for another reason.

**Source** The entry "profile" of docs/glossary.md defines the profiles.

**What to do** Run `./runfair run --profile quick`, or choose a longer profile.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding

NAME = "smoke"
DOUBT = "only a trial"
VERSION = 1


def check(run: RunEvidence) -> Iterator[Finding]:
    if run.plan.profile == "smoke":
        yield Finding(
            check=NAME,
            severity="warning",
            cell=None,
            figures=[*FIGURES],
            text=("this run used the profile `smoke`, which is too short for fair results"),
            advice="run `./runfair run --profile quick`",
        )
