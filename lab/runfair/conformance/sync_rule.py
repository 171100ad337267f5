"""The rule that each query has its own Sync message."""

from __future__ import annotations

from runfair.conformance.rule import Rule, Service, answers_at_once, require


def sync_rule(path: str) -> Rule:
    """The rule for requests of `path`. Queries that share a Sync succeed or fail together, which
    saves the database work that independent queries need. The requests are concurrent, because a
    service can also share a Sync between the queries of several requests.
    """
    return Rule("a Sync for each query", lambda service: _own_syncs(service, path))


def _own_syncs(service: Service, path: str) -> None:
    _, tap = service.database()
    tap.forget()
    for answer in answers_at_once(service, path):
        require(answer.status == 200, f"status {answer.status}")
    most = tap.seen.most_in_a_sync
    require(most > 0, "the database received no query from the service")
    require(
        most == 1,
        (
            f"the service must send a Sync message after each query, but {most} queries "
            "shared one Sync message"
        ),
    )
