"""The counts of the requests in the load generator's result."""

from __future__ import annotations

from typing import NamedTuple

from runfair.formats.record import Record


class Failures(Record):
    """Failed requests by kind. Each failed request is counted once, under its first failure."""

    wrong_status: int
    wrong_body: int
    short: int
    malformed: int
    unexpected: int
    refused: int
    no_socket: int
    reset: int
    closed: int
    timed_out: int
    unsent: int
    tls: int
    stream_reset: int = 0
    gone_away: int = 0
    grpc_status: int = 0


class Requests(Record):
    """The fate of the requests. Every scheduled request is either good or failed. `checkable`
    answers were as expected apart from their bodies, for which the traffic has a rule. The bodies
    of `checked` of them were compared, and `wrong_of_checked` bodies were wrong. `unasked` is how
    often a connection received bytes without a request; `complaint` says what was wrong with the
    first bad answer or connection."""

    scheduled: int
    sent: int
    completed: int
    good: int
    failed: int
    misses: int
    checkable: int = 0
    checked: int
    wrong_of_checked: int = 0
    failures: Failures
    unasked: int
    complaint: str | None
    statuses: dict[str, int]


class Bodies(NamedTuple):
    """The bodies that alone decided whether their answers were good: the number of those that could
    be compared with the expected body, of those that were compared, and of wrong bodies among
    these."""

    checkable: float
    checked: int
    wrong: int

    @property
    def unseen_wrong(self) -> float:
        """The expected number of wrong bodies among those that were not compared. The compared
        bodies are a sample."""
        if not self.checked:
            return 0.0
        return self.wrong / self.checked * (self.checkable - self.checked)
