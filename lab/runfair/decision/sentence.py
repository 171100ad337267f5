"""The text of a decision, as it is printed."""

from math import inf, isinf

from runfair.decision.breakdown import Bound, Breakdown, greatest_part
from runfair.decision.rules import LEAST_EXECUTIONS, Criteria, Decision, Standing
from runfair.decision.sizing import BreakEven
from runfair.fairness.figures import interval
from runfair.fairness.objective import WORDS
from runfair.formats.decision import Reason
from runfair.statistics.comparison import Ratio

UNCLEAR = "It is unclear whether "
NEEDS_MORE = "there are too few executions for a confidence interval"


def sentence(decision: Decision, criteria: Criteria) -> str:
    """The verdict, its reason, and what to do: two to four short sentences."""
    said = f"{decision.outcome.capitalize()}: {_because(decision, criteria)}."
    risk = ""
    if decision.reason == "room to spare":
        said = f"Latency is no reason for a rewrite: {_because(decision, criteria)}."
        if decision.candidate.meets == "unclear":
            risk = f"{UNCLEAR}{decision.candidate.name} meets {criteria.objective}."
    parts = (said, _saving(decision, criteria), risk, _advice(decision, criteria))
    return " ".join(part for part in parts if part)


def standing(service: Standing) -> str:
    """A service's percentile in words, to follow the percentile's name: `18.2 ms [17.6, 19.0] meets
    it`. If the figure is void, the text contains no number."""
    if service.unserved:
        return f"{WORDS['no']}: {service.unserved}"
    if service.state == "void":
        return f"void, {WORDS[service.meets]}"
    if service.bounded and service.headline.low is not None:
        return f"{between(service)} {WORDS[service.meets]}"
    one = service.headline
    limits = interval(one)
    if limits is not None:
        told = f"[{_ms(limits[0])}, {_ms(limits[1])}]"
    else:
        told = f"({one.reason or NEEDS_MORE})"
    return f"{_ms(one.value)} ms {told} {WORDS[service.meets]}"


def account(split: Breakdown) -> str:
    """The parts of a mean request in words: `a request takes 2.40 ms on average: own CPU 0.41 · run
    queue 0.06 · database 1.71 · other …`"""
    parts = " · ".join(f"{name} {_ms(value)}" for name, value in split.parts_ns().items())
    return f"a request takes {_ms(split.mean_ns)} ms on average: {parts}"


def most(found: Bound) -> str:
    """The upper bound of the gain in words. If queueing for the service's own CPU matters, the text
    says so."""
    if isinf(found.without_own_cpu):
        return (
            "there is no upper limit for the speed-up by another runtime, because a request's "
            "whole time is the service's own CPU time, or a wait for a processor"
        )
    said = "if the service's own CPU time were zero, a request would on average be "
    said += f"{_factor(found.without_own_cpu)} times faster"
    if not found.queueing_matters:
        return said
    if isinf(found.at_most):
        return (
            f"{said}; if the request's other waits vanished too, there would be no upper limit for "
            "the speed-up"
        )
    return (
        f"{said}; if the request then waited only for the database, it would be "
        f"{_factor(found.at_most)} times faster"
    )


def payback(found: BreakEven) -> str:
    """The time until the saving has paid for the effort, in words: `6 to 8 months`, `never`, `8
    months or never`."""
    if isinf(found.soonest_months):
        return "never"
    soonest, latest = short(found.soonest_months), short(found.latest_months)
    if isinf(found.latest_months):
        return f"{soonest} months or never"
    return f"{soonest} months" if soonest == latest else f"{soonest} to {latest} months"


def saving(found: BreakEven) -> str:
    """The saving in words: `saves 680 to 1,010 a month, and pays for the effort in 6.7 to 10
    months`."""
    least, greatest = found.least_saving_per_month, found.greatest_saving_per_month
    if greatest <= 0:
        return f"costs {_range(-greatest, -least)} more a month, and never pays for the effort"
    if least < 0:
        either = f"saves up to {greatest:,.0f} a month or costs up to {-least:,.0f} more"
        return f"{either}, and pays for the effort in {payback(found)}"
    return f"saves {_range(least, greatest)} a month, and pays for the effort in {payback(found)}"


def _range(least: float, greatest: float) -> str:
    low, high = (f"{one:,.0f}" for one in (least, greatest))
    return low if low == high else f"{low} to {high}"


def _because(decision: Decision, criteria: Criteria) -> str:
    ours, theirs, objective = decision.candidate.name, decision.baseline.name, criteria.objective
    split = decision.split
    least = "" if split.certain_database_ns == split.database_ns else "at least "
    share = f"{least}{split.certain_database_ns / split.mean_ns:.0%}"
    elsewhere = f"requests spend {share} of their time in the database"
    pays = "" if decision.break_even is None else payback(decision.break_even)
    texts: dict[Reason, str] = {
        "void figures": "the measured values are void (not valid)",
        "too few executions": (
            f"a decision needs {LEAST_EXECUTIONS} pairs of executions, and the run has fewer"
        ),
        "not the same work": (
            f"{ours} needs less time than the database needs for the queries of {theirs}, even if "
            "these overlap as much as possible, so the two services do different work"
            if split.least_database_ns is not None
            else f"{ours} needs less time than the database needs for the queries of {theirs} one "
            "after another, so the two services do different work, or requests make several "
            "queries at the same time"
        ),
        "no runtime could meet it": (
            f"the database alone misses {objective}, so no runtime could meet it"
        ),
        "the candidate misses it": f"{ours} misses {objective}"
        + (" too" if decision.baseline.meets == "no" else "")
        + _why(decision.candidate),
        "it meets what the baseline misses": f"{ours} meets {objective} and {theirs} does not"
        + _why(decision.baseline),
        "within the noise": (
            f"{ours} meets {objective} and {theirs} does not, but noise or chance may explain "
            "this difference"
        ),
        "it pays": f"{ours} meets {objective} and pays for itself in {pays}",
        "it does not pay": (
            f"both services meet {objective}, and a rewrite pays for itself after {pays}"
            if pays != "never"
            else f"both services meet {objective}, and a rewrite never pays for itself, because it "
            "saves no money"
        ),
        "capacity unknown": "it is unknown how many instances each service needs",
        "payback unclear": f"a rewrite pays for itself after {pays}",
        "room to spare": f"{theirs} meets {objective} by a wide margin"
        + f" ({between(decision.baseline)})",
        "too small a gain": (
            f"{ours} is slower than {theirs}, and needs more CPU time"
            if _is_worse(decision.gain.percentile)
            and _is_worse(decision.gain.own_cpu)
            and not decision.gain.is_within_noise(criteria.noise_floor)
            else f"the gain of {ours} over {theirs} is less than a factor of "
            f"{criteria.smallest_gain:.3g}, both in latency and in CPU time"
        ),
        "objective unclear": f"it is unclear whether {_unclear(decision)} {objective}",
        "the time is elsewhere": f"both services meet {objective}, and {elsewhere}",
        "gain unclear": (
            f"both services meet {objective}, but it is unclear whether {ours} is faster or needs "
            "less CPU time"
        ),
        "no saving stated": (
            f"both services meet {objective}, and {ours} is {_gains(decision, criteria)}, but it "
            "is unknown whether this gain covers the cost of a rewrite"
        ),
    }
    return texts[decision.reason]


def _why(service: Standing) -> str:
    return f": {service.unserved}" if service.unserved else ""


def _unclear(decision: Decision) -> str:
    both = (decision.baseline, decision.candidate)
    names = [one.name for one in both if one.meets == "unclear"]
    return f"{' and '.join(names)} {'meets' if len(names) == 1 else 'meet'}"


def _gains(decision: Decision, criteria: Criteria) -> str:
    gain, said = decision.gain, []
    if gain.percentile is not None and gain.is_shown(criteria.noise_floor):
        said.append(f"{_factor(gain.percentile.value)} times faster")
    if gain.own_cpu is not None and gain.own_cpu.low is not None and gain.own_cpu.low > 1:
        said.append(f"{_factor(gain.own_cpu.value)} times cheaper in CPU")
    return " and ".join(said)


def _is_worse(ratio: Ratio | None) -> bool:
    return ratio is not None and ratio.high is not None and ratio.high < 1


def _factor(ratio: float) -> str:
    """A gain as text. Near 1 it has two decimals, so that a small gain is not rounded away."""
    return f"{ratio:.2f}" if ratio < 1.1 else short(ratio)


def between(service: Standing) -> str:
    """The limits of a service's percentile as text: `≤ 2.90 ms`, `≥ 1.10 ms` or `1.10 to 2.90
    ms`."""
    low, high = service.limits.low, service.limits.high
    if high is None:
        return "not bounded" if low is None else f"≥ {_ms(low)} ms"
    if low is None or not service.bounded:
        return f"≤ {_ms(high)} ms"
    return f"{_ms(low)} to {_ms(high)} ms"


def _saving(decision: Decision, criteria: Criteria) -> str:
    """The sentence about CPU time, for example `Go would save 65% of Python's CPU time [60%, 70%]:
    0.1 CPUs at 400/s.`"""
    ratio = decision.gain.own_cpu
    ours, theirs = decision.candidate.name, decision.baseline.name
    if decision.reason not in ("room to spare", "no saving stated") or ratio is None:
        return ""
    low, high = ratio.low, ratio.high
    change = _processors(decision, criteria, ratio.value)
    if low is not None and low > 1:
        least = f"{1 - 1 / low:.0%}"
        if high is None:
            return f"{ours} would save at least {least} of {theirs}'s CPU time."
        saved = f"{1 - 1 / ratio.value:.0%} of {theirs}'s CPU time [{least}, {1 - 1 / high:.0%}]"
        return f"{ours} would save {saved}{change}."
    if high is not None and high < 1:
        least = f"{1 / high - 1:.0%}"
        if low is None:
            return f"{ours} would need at least {least} more CPU time than {theirs}."
        more = f"{1 / ratio.value - 1:.0%} more CPU time than {theirs} [{least}, {1 / low - 1:.0%}]"
        return f"{ours} would need {more}{change}."
    return f"{UNCLEAR}{ours} needs more or less CPU time than {theirs}."


def _processors(decision: Decision, criteria: Criteria, ratio: float) -> str:
    """The change of CPU time at the measured rate, as a number of processors."""
    if criteria.rate_per_s is None:
        return ""
    used = decision.split.own_cpu_ns * decision.split.exceeding * criteria.rate_per_s / 1e9
    return f": {short(used * abs(1 - 1 / ratio))} CPUs at {criteria.rate_per_s:,g}/s"


def _advice(decision: Decision, criteria: Criteria) -> str:
    more = (
        (f"Measure with {criteria.measure}.")
        if criteria.measure
        else "Measure with more executions."
    )
    # More executions make an interval narrower, but do not remove disturbances.
    both = (decision.baseline, decision.candidate)
    doubtful = [one for one in both if one.bounded and one.meets == "unclear"]
    advice = "; ".join(dict.fromkeys(text for one in doubtful for text in one.advice))
    undisturbed = f"To remove the doubts: {advice}."
    if "measure" not in advice:
        undisturbed += f" Then measure again with {criteria.again}."
    measure: dict[Reason, str] = {
        "void figures": (
            "Read in the run's report (./runfair report) why the values are void, correct the "
            "causes, and measure again."
        ),
        "too few executions": more,
        "not the same work": (
            "Compare the queries of both services, and run the database on other processors than "
            "the services."
        ),
        "capacity unknown": (
            "Measure the capacity of both services (`capacity = true` in the experiment)."
        ),
        "payback unclear": f"To know the capacities more exactly, measure longer. {more}",
        "objective unclear": undisturbed if advice and criteria.again else more,
    }
    if decision.outcome == "justified" or decision.reason == "room to spare":
        return ""
    if decision.outcome == "cannot be told":
        return measure[decision.reason]
    if decision.reason == "no saving stated":
        return (
            "To see whether this gain covers the cost of a rewrite, use the options --load, "
            "--instance-price and --effort."
        )
    if decision.remedies:
        return f"First look at {_listed(decision.remedies)}."
    if not decision.baseline.unserved and greatest_part(decision.split) == "own CPU":
        return (
            "A request spends most of its time in the service's own code, so first profile "
            "and improve this code."
        )
    return ""


def _listed(names: tuple[str, ...]) -> str:
    *most_names, last = names
    return f"{', '.join(most_names)} and {last}" if most_names else last


def short(value: float) -> str:
    """A number as text, with two significant digits and without an exponent."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}" if value >= 0.01 else "0"


def _ms(ns: float) -> str:
    """A time in milliseconds as text, with three significant digits."""
    if ns == inf:
        return "∞"
    value = ns / 1e6
    decimals = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{decimals}f}" if value >= 0.01 or value == 0 else f"{value:.2g}"
