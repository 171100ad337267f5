"""The server, not its database, limits a service's highest rate.

**Looks for** services whose database was busy nearly all the time at the peak (the highest rate in
a closed loop), while the server waited. In a closed loop (each request waits for the answer to an
earlier request), the slowest part limits the rate. If PostgreSQL is the slowest part, the rate
measures PostgreSQL, and all faster servers look equal. If PostgreSQL and the load generator share
processors, the CPU time of the load generator counts as CPU time of PostgreSQL.

**Threshold** A service's highest rate is flagged (marked as doubtful) if two conditions hold in any
execution. First, the database used more than `DATABASE_BUSY` of its processors' time. Second, the
server used less than `SERVER_BUSY` of its own processors' time. A flagged rate stays usable,
because the server can reach at least this rate. The server's CPU time per request and its memory
stay valid. The check cannot detect that the database's storage limits the rate, because a
database that waits for its storage is not busy.

**Source** In TechEmpower's tests with many queries, the ranked servers used only a small part of
their processors, because they waited for PostgreSQL. runfair's authors chose the thresholds.

**What to do** Compare the CPU time per request instead of the rate, or give the database more
processors.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.peak import PeakEvidence, peak_evidence
from runfair.evidence.run import RunEvidence
from runfair.formats.finding import Finding

NAME = "database_bound"
DOUBT = "database-bound"
VERSION = 1
DATABASE_BUSY = 0.9
SERVER_BUSY = 0.9
ADVICE = "compare the services by CPU time per request instead of by rate"


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.programs:
        bound = [found for found in _peaks(one) if _is_bound(found)]
        if bound:
            yield _finding(one, max(bound, key=lambda found: found.beside_share or 0.0))


def _peaks(one: CellEvidence) -> Iterator[PeakEvidence]:
    for execution in one.completed:
        found = peak_evidence(execution)
        if found is not None:
            yield found


def _is_bound(found: PeakEvidence) -> bool:
    busy = found.beside_share is not None and found.beside_share > DATABASE_BUSY
    return busy and found.server_share < SERVER_BUSY


def _finding(one: CellEvidence, found: PeakEvidence) -> Finding:
    assert found.database_share is not None
    assert found.beside_share is not None
    whole = ""
    if found.shared:
        whole = f" ({found.beside_share:.0%} together with the load generator)"
    return Finding(
        check=NAME,
        severity="warning",
        cell=one.cell.id,
        figures=["wall"],
        text=(
            f"the database limited the peak: PostgreSQL used {found.database_share:.0%} of "
            f"the time of its processors{whole}, but the server used only "
            f"{found.server_share:.0%} of the time of its processors"
        ),
        advice=ADVICE,
        values={
            "database_share": found.database_share,
            "beside_share": found.beside_share,
            "server_share": found.server_share,
        },
        effect="longer",
    )
