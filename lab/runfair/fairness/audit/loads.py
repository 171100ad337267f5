"""Mistakes of a load: its loop, its stalls, its rate and its errors."""

from __future__ import annotations

from runfair.fairness.audit.judging import (
    BEYOND_ONE,
    WAITING,
    Mistake,
    little,
    little_said,
    stall,
    stall_said,
)
from runfair.formats.foreign.result import ForeignResult, Judgement
from runfair.statistics.closed_loop import IMPOSSIBLE, SATURATED, StallTest
from runfair.statistics.objective import LEAST_ACHIEVED

CLOSED_LOOP = Mistake("closed_loop", "closed loop")


def closed_loop(result: ForeignResult) -> Judgement | None:
    """Closed loop: the tool sends fewer requests to a slow server, so stalls are
    under-represented."""
    if result.kind != "load":
        return None
    ratio, said = little(result), little_said(result)
    if result.loop in WAITING:
        measured = f"; {said}" if said else ""
        if ratio is not None and ratio > IMPOSSIBLE:
            measured += f", {BEYOND_ONE}"
        return CLOSED_LOOP.established(
            f"requests wait for earlier answers{result.because('loop')}{measured}"
        )
    if result.loop == "open":
        if result.dropped:
            return CLOSED_LOOP.established(
                f"{result.tool} dropped {result.dropped:,} scheduled requests, so a slow server "
                f"got fewer requests{result.because('loop')}"
            )
        return CLOSED_LOOP.excluded(f"requests follow a schedule{result.because('loop')}")
    if ratio is not None and SATURATED <= ratio <= IMPOSSIBLE:
        return CLOSED_LOOP.established(
            f"{said}, so every {result.stream} nearly always waited for an answer"
        )
    reason = result.basis.get(
        "loop", f"{result.tool} does not report whether the load was an open or a closed loop"
    )
    return CLOSED_LOOP.not_told(f"{reason}; {said}" if said else reason)


PAUSES_LEFT_OUT = Mistake("pauses_left_out", "pauses left out")


def pauses_left_out(result: ForeignResult) -> Judgement | None:
    """Coordinated omission: requests that a stall delayed are not counted as late, so the tail does
    not show the stalls."""
    if result.kind != "load":
        return None
    test = stall(result)
    if result.timed_from is None:
        reason = result.basis.get(
            "timed_from",
            f"{result.tool} does not report whether the clock of a request starts when the request "
            "is due or when it is sent",
        )
        return PAUSES_LEFT_OUT.not_told(_with_test(reason, test))
    if result.timed_from == "schedule":
        counted = (
            "latency is measured from the time at which a request is "
            f"due{result.because('timed_from')}"
        )
        if test is not None and test.outcome == "failed":
            return PAUSES_LEFT_OUT.not_told(f"{counted}, but {stall_said(test)}")
        return PAUSES_LEFT_OUT.excluded(_with_test(counted, test))
    return _from_sending(result, test)


def _from_sending(result: ForeignResult, test: StallTest | None) -> Judgement:
    """Latency that is measured from sending leaves out stalls, unless the schedule never waits."""
    counted = (
        "latency is measured from the time at which a request is "
        f"sent{result.because('timed_from')}"
    )
    if result.loop in WAITING or result.dropped:
        said = (
            f"{counted}, so latency does not include the time for which a stalled server delays "
            "the sending of further requests (coordinated omission)"
        )
        failed = test is not None and test.outcome == "failed"
        return PAUSES_LEFT_OUT.established(_with_test(said, test) if failed else said)
    if result.loop == "open":
        if test is not None and test.outcome == "failed":
            return PAUSES_LEFT_OUT.not_told(
                f"{counted}; the tool sends requests on a schedule, so it may have included all "
                f"stalls, but {stall_said(test)}"
            )
        waits = (
            f"{counted}, but requests are sent on schedule, however slow the server "
            f"is{result.because('loop')}"
        )
        return PAUSES_LEFT_OUT.excluded(_with_test(waits, test))
    ratio = little(result)
    if ratio is not None and SATURATED <= ratio <= IMPOSSIBLE:
        return PAUSES_LEFT_OUT.established(
            f"{counted}, and {little_said(result)}, so requests had to wait for a free connection"
        )
    return PAUSES_LEFT_OUT.not_told(
        _with_test(
            (
                f"{counted}; it is unknown whether a request has to wait until earlier requests "
                "are answered"
            ),
            test,
        )
    )


def _with_test(said: str, test: StallTest | None) -> str:
    if test is None or test.outcome == "undecided":
        return said
    return (
        f"{said}; the stall test (are as many requests slow as a stall would cause?) "
        f"{test.outcome}: {stall_said(test)}"
    )


PEAK = Mistake("peak", "peak throughput instead of performance at an objective")


def peak(result: ForeignResult) -> Judgement | None:
    """Peak: a figure that was measured at saturation is presented as the performance at an
    objective."""
    if result.kind != "load":
        return None
    if result.rate_per_s is None:
        return PEAK.not_told("the file contains no throughput")
    if result.offered_rate_per_s:
        asked = (
            f"the offered rate was {result.offered_rate_per_s:,.0f}/s, and the achieved rate "
            f"was {result.rate_per_s:,.0f}/s"
        )
        if result.rate_per_s / result.offered_rate_per_s >= LEAST_ACHIEVED:
            return PEAK.excluded(asked)
        return PEAK.established(f"{asked}, so the server or the load generator was at its limit")
    return _without_a_rate(result, f"{result.rate_per_s:,.0f} requests/s")


def _without_a_rate(result: ForeignResult, rate: str) -> Judgement:
    if result.loop == "closed":
        return PEAK.established(
            f"{rate} is the throughput at saturation, because the load had no offered rate: the "
            "answers of the server decided when the next requests were sent"
        )
    ratio = little(result)
    if ratio is not None and SATURATED <= ratio <= IMPOSSIBLE:
        return PEAK.established(
            f"{rate} is the throughput at saturation, because every {result.stream} nearly always "
            f"waited for an answer: {little_said(result)}"
        )
    said = f"; {little_said(result)}" if ratio is not None else ""
    return PEAK.not_told(
        f"the throughput is {rate}, but the file does not report the offered rate{said}"
    )


STARVED_RATE = Mistake("starved_rate", "starved arrival rate")


def starved_rate(result: ForeignResult) -> Judgement | None:
    """Starved rate: fewer requests were sent than scheduled, so the offered rate was not kept."""
    if result.kind != "load":
        return None
    offered, rate = result.offered_rate_per_s, result.rate_per_s
    if result.dropped:
        total = result.dropped + (result.requests or 0)
        return STARVED_RATE.established(
            f"{result.tool} dropped (did not send) {result.dropped:,} of {total:,} scheduled "
            "requests"
        )
    if offered and rate is not None:
        asked = (
            f"the load achieved {rate:,.1f} of {offered:,.1f} requests per second, which is "
            f"{100 * rate / offered:.1f}%"
        )
        if rate / offered >= LEAST_ACHIEVED:
            return STARVED_RATE.excluded(f"{asked} of the offered rate")
        return STARVED_RATE.established(f"only {asked} of the offered rate")
    if result.loop == "closed":
        return STARVED_RATE.excluded(
            "the load was a closed loop, and a closed loop has no offered rate"
        )
    return STARVED_RATE.not_told("the file does not report the offered rate")


ERRORS_COUNTED = Mistake("errors_counted", "errors counted as answers")


def errors_counted(result: ForeignResult) -> Judgement | None:
    """Errors counted: failed requests count as answers, and are often the fastest."""
    if result.kind == "benchmark" and result.errors is None:
        return None
    if result.errors is None:
        return ERRORS_COUNTED.not_told(
            "the file does not report the statuses of the answers, so failed requests may be among "
            "the answers"
        )
    counted = result.requests or result.latencies.counted
    kind = "requests" if result.kind == "load" else "runs"
    if result.errors == 0:
        among = f" among {counted:,} {kind}" if counted else ""
        return ERRORS_COUNTED.excluded(
            f"the file reports no error{among}, but it is unknown whether the answers were correct"
        )
    failed = result.errors - result.unanswered
    of = f" of {counted:,} ({100 * failed / counted:.3g}%)" if counted else ""
    if not failed:
        return ERRORS_COUNTED.not_told(
            f"{result.errors:,} requests got no answer, and {result.tool} recorded no time of them"
        )
    if result.errors_timed:
        return ERRORS_COUNTED.established(
            f"{failed:,}{of} {kind} failed, but the tool counted and timed them like good answers"
        )
    return ERRORS_COUNTED.not_told(
        f"{failed:,}{of} requests failed, and it is unknown whether the percentiles "
        "include the times of these requests"
    )
