"""Executions were interleaved as planned, so drift affects all variants alike.

**Looks for** executions that began in another order than planned. A block is a group of executions
in which each compared program runs twice. The check also looks for incomplete blocks, and for
blocks whose executions ran on more than one host. Finally, the check looks for programs whose
executions ran mostly earlier or mostly later than the executions of the baseline (the program with
which the others are compared). The check examines each comparison separately. The order of the
blocks does not matter, because runfair compares only executions of the same block with each other.
So the check accepts a block that was repeated as a whole later in the run.

**Threshold** If a block ran on several hosts, the times (wall time, CPU time, latencies and
start-up times) of all compared programs are void (invalid). If executions of a program did not
begin in the planned order, or are missing from a block, the times of this program are flagged
(marked as doubtful).

The check sorts all executions of a comparison by their start, numbers them, and computes the mean
position of each program's executions. If the mean position of a program's executions differs from
that of the baseline's executions by more than `FARTHEST_APART` of the number of executions, the
times of the program are flagged. In runfair's order (the programs of a block in a random order, and
then in the reverse order), all programs have the same mean position. In the order A…A B…B (all
executions of a program A, then all executions of a program B), the mean positions of A and B differ
by half of the number of executions. In simulated runs on a machine whose speed drifts by 4%, the
order A…A B…B showed a false difference in 100% of the runs, and runfair's order in 4% of the runs.

**Source** The section "Comparing two runtimes" of docs/statistics.md derives the rule about the
order. The limit `FARTHEST_APART` is half of the difference between the mean positions of A and B in
the order A…A B…B.

**What to do** Run again. If blocks are incomplete, `./runfair resume RUN` completes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, repeat
from statistics import fmean

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.figures import TIMED
from runfair.formats.execution import Execution
from runfair.formats.finding import Finding, Severity
from runfair.formats.plan import PlannedExecution
from runfair.formats.record import Scalar

NAME = "order"
DOUBT = "order of runs"
VERSION = 3
FARTHEST_APART = 0.25


def check(run: RunEvidence) -> Iterator[Finding]:
    groups = run.groups()
    group_of = {one.cell.id: number for number, group in enumerate(groups) for one in group}
    # One pass over the executions suffices; a run may have thousands of groups.
    planned_of: dict[int | None, list[PlannedExecution]] = {}
    for one in run.plan.executions:
        if one.role == "block":
            planned_of.setdefault(group_of.get(one.cell), []).append(one)
    for number, group in enumerate(groups):
        planned, begun = planned_of.get(number, []), _begun(group)
        yield from _displaced(begun, planned)
        yield from _incomplete(begun, planned)
        yield from _split(begun, group)
        yield from _apart(begun, run.baseline(group))


def _begun(group: Sequence[CellEvidence]) -> list[Execution]:
    """The executions in the order in which they began. The order is read from the realtime clock,
    because a restart resets the monotonic clock. If every host carried out its blocks whole, blocks
    are put in their planned order: hosts work at the same time, and a repeated block, or a block
    taken over from a lost host, runs later than planned."""
    records = [execution.record for one in group for execution in one.blocks]
    by_host = sorted(records, key=lambda one: (one.host, one.launch.started_realtime_ns))
    parts = [part for part, _ in groupby((one.host, one.block) for one in by_host)]
    if len(parts) == len(set(parts)):
        return sorted(records, key=lambda one: (one.block, one.launch.started_realtime_ns))
    return sorted(records, key=lambda one: one.launch.started_realtime_ns)


def _displaced(
    begun: Sequence[Execution], planned: Sequence[PlannedExecution]
) -> Iterator[Finding]:
    known = {record.planned for record in begun}
    expected = [one.id for one in planned if one.id in known]
    # An unplanned record shifts the records after it, and is itself out of order.
    displaced = Counter(
        record.cell
        for record, wanted in zip(begun, chain(expected, repeat("")), strict=False)
        if record.planned != wanted
    )
    for cell, count in displaced.items():
        yield _finding(
            cell,
            (
                f"{count} of the executions did not begin in the planned order, so a drift of the "
                "machine's speed may look like a difference between the programs"
            ),
            "run again",
            {"displaced": count},
        )


def _incomplete(
    begun: Sequence[Execution], planned: Sequence[PlannedExecution]
) -> Iterator[Finding]:
    known = {record.planned for record in begun}
    blocks = {one.block for one in planned if one.id in known}
    missing = Counter(one.cell for one in planned if one.block in blocks and one.id not in known)
    for cell, count in missing.items():
        yield _finding(
            cell,
            f"the run is incomplete, because {count} executions are missing from blocks (groups of "
            "executions) that had begun",
            "complete the run with `./runfair resume RUN`",
            {"missing": count},
        )


def _split(begun: Sequence[Execution], group: Sequence[CellEvidence]) -> Iterator[Finding]:
    hosts: dict[int, set[str]] = {}
    for record in begun:
        hosts.setdefault(record.block, set()).add(record.host)
    split = sorted(block for block, names in hosts.items() if len(names) > 1)
    for one in group if split else ():
        yield _finding(
            one.cell.id,
            (
                f"{len(split)} of the blocks (groups of executions) ran partly on one host and "
                "partly on another, so a pair of executions may compare two hosts"
            ),
            "run again",
            {"split": len(split)},
            "fault",
        )


def _apart(begun: Sequence[Execution], baseline: CellEvidence) -> Iterator[Finding]:
    places: dict[str, list[int]] = {}
    for place, record in enumerate(begun):
        places.setdefault(record.cell, []).append(place)
    if baseline.cell.id not in places:
        return
    for cell, mine in places.items():
        distance = abs(fmean(mine) - fmean(places[baseline.cell.id])) / max(1, len(begun) - 1)
        if distance > FARTHEST_APART:
            yield _finding(
                cell,
                (
                    "on average, these executions ran earlier or later in the run than the "
                    f"executions of {baseline.cell.variant} (by {distance:.0%} of the run's "
                    "length), so a drift of the machine's speed may look like a difference between "
                    "the programs"
                ),
                "run again with interleaved executions",
                {"distance": distance},
            )


def _finding(
    cell: str, text: str, advice: str, values: dict[str, Scalar], severity: Severity = "warning"
) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=cell,
        figures=[*TIMED],
        text=text,
        advice=advice,
        values=values,
    )
