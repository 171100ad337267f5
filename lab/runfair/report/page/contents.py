"""The page's contents in order: header, decision, pictures by kind, then every number."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import TypeVar

from runfair.decision.tail import alternatives, between_ms, tail_words
from runfair.evidence.run import RunEvidence
from runfair.formats.decision import Answer, TailAccount
from runfair.formats.finding import Finding
from runfair.formats.host import Host
from runfair.formats.result import RunResult
from runfair.report.conclusion.conclusion import Conclusion, conclude
from runfair.report.page.annotated_source import MOST_LISTINGS, AnnotatedSource, annotated_sources
from runfair.report.page.bytecode_source import bytecode_sources
from runfair.report.page.bytecodes import bytecode_pictures, hot_paths, unprobed
from runfair.report.page.checks import checks_pictures
from runfair.report.page.distributions import distribution_pictures
from runfair.report.page.iterations import HOW_TO_READ, iteration_pictures
from runfair.report.page.latency_over_time import latency_pictures
from runfair.report.page.machine_level import level_picture
from runfair.report.page.native_instructions import instruction_pictures
from runfair.report.page.operating_point import operating_points
from runfair.report.page.own_sweeps import own_sweep_pictures
from runfair.report.page.page_input import PageInput
from runfair.report.page.palette import Legend
from runfair.report.page.peaks import PeakRanking, peak_pictures, peak_ranking
from runfair.report.page.percentile_curve import percentile_picture
from runfair.report.page.picture import Picture
from runfair.report.page.rates import rate_picture
from runfair.report.page.request_cost import cost_picture, system_call_picture
from runfair.report.page.scaling import sweep_pictures
from runfair.report.page.service_warm_up import warm_up_picture
from runfair.report.page.variants import variant_pictures
from runfair.report.page.versions import version_pictures
from runfair.report.table import tables
from runfair.wording import quantity
from runfair.wording.table import Row, Table
from runfair.wording.text import brief, shortened

MOST_SHOWN = 20


@dataclass(frozen=True)
class Decided:
    """The decision at one operating point: the answer, the doubts about it, and the baseline's
    slowest requests one by one.
    """

    title: str
    said: tuple[str, ...]
    doubts: tuple[str, ...]
    slowest: Table | None = None


def decided(answers: Sequence[Answer]) -> tuple[Decided, ...]:
    return tuple(
        Decided(
            brief(one.title),
            tuple(map(brief, _said(one))),
            tuple(map(brief, one.all_doubts)),
            None if one.tail is None or not one.tail.count else _slowest(one.tail),
        )
        for one in answers
    )


def _said(one: Answer) -> list[str]:
    lines = [one.note] if one.note else []
    for each in one.candidates:
        lines.append(f"{each.service}: {each.sentence}")
        lines += [f"{each.service} {each.payback.text}"] if each.payback is not None else []
    for line in one.services:
        role = " (baseline)" if line.baseline else ""
        lines.append(f"{line.service}{role}: {line.text}")
    return [*lines, *one.account, *(tail_words(one.tail)[:1] if one.tail is not None else [])]


def _slowest(tail: TailAccount) -> Table:
    """The baseline's slowest requests, with each part of their latency in ms."""
    shown = tail.slowest[:MOST_SHOWN]
    causes = [cause for cause in tail.time_shares if any(one.parts_ns[cause][1] for one in shown)]
    return Table(
        title="The slowest requests in detail",
        columns=("intended instant", "latency", *(f"{cause}, ms" for cause in causes), "slow by"),
        rows=tuple(
            Row(
                (
                    f"{one.intended_ns / 1e9:.3f} s",
                    f"{one.latency_ns / 1e6:,.2f} ms",
                    *(between_ms(one.parts_ns[cause]) for cause in causes),
                    alternatives(one.slow_by),
                ),
                None,
            )
            for one in shown
        ),
        notes=(
            "If a column contains two numbers, they are a lower and an upper limit of the value.",
        ),
    )


Figure = TypeVar("Figure", Picture, AnnotatedSource)


MOST_PICTURES = 120  # pictures of one section


@dataclass(frozen=True)
class Section:
    """A section of the page. Under the section's heading come the `notes`, then the requested
    results that are `missing`, then the decisions (`decided`), then the `ranking`. A section is
    left out if it has only notes.
    """

    name: str
    title: str
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    decided: tuple[Decided, ...] = ()
    sources: tuple[AnnotatedSource, ...] = ()
    missing: tuple[str, ...] = ()
    ranking: PeakRanking | None = None

    @property
    def empty(self) -> bool:
        found = (self.pictures, self.decided, self.sources, self.missing, self.ranking)
        return not any(found)


@dataclass(frozen=True)
class Contents:
    run: str
    title: str
    header: Header
    findings: tuple[Finding, ...]
    sections: tuple[Section, ...]
    tables: tuple[Table, ...]

    @property
    def pictures(self) -> list[Picture]:
        return [picture for section in self.sections for picture in section.pictures]

    @property
    def sources(self) -> list[AnnotatedSource]:
        return [source for section in self.sections for source in section.sources]


def contents(page_input: PageInput) -> Contents:
    page_input = replace(page_input, result=shortened(page_input.result))
    evidence, result = page_input.evidence, page_input.result
    legend = Legend.of(result.cells)
    curves, more_curves = iteration_pictures(evidence, result, legend)
    compared, more_compared = variant_pictures(result, legend)
    sources, untold = annotated_sources(page_input, legend)
    probed = _first("bytecodes", "Bytecodes", bytecode_pictures(page_input, legend))
    sections = (
        Section("decision", "The decision", decided=decided(page_input.answers)),
        _with_notes(
            _first(
                "services",
                "Services at their operating point",
                _service_pictures(page_input, legend),
            ),
            hot_paths(page_input, legend),
        ),
        replace(
            _first("peaks", "Services at their peak", peak_pictures(result, legend)),
            ranking=peak_ranking(result),
        ),
        Section("variants", "Variants compared", tuple(compared), _no_room(more_compared)),
        _first("versions", "Version by version", version_pictures(evidence, result)),
        _first("sweeps", "Sweeps", sweep_pictures(result, legend)),
        _first(
            "own",
            "Distributions and counters that the programs recorded",
            chain(
                own_sweep_pictures(page_input, legend), distribution_pictures(page_input, legend)
            ),
            "The run's folder contains the values of the pictures that are left out",
        ),
        Section("source", "Line by line", sources=tuple(sources), missing=tuple(untold)),
        replace(
            probed,
            sources=tuple(islice(bytecode_sources(page_input, legend), MOST_LISTINGS)),
            missing=tuple(unprobed(page_input, legend)),
        ),
        _first(
            "instructions",
            "Instructions of native programs",
            instruction_pictures(page_input, legend),
        ),
        _first("checks", "V8's checks", checks_pictures(page_input, legend)),
        Section(
            "iterations",
            "Iteration by iteration",
            tuple(curves),
            (HOW_TO_READ, *_left_out(more_curves)),
        ),
        Section("machine", "The machine over the run", _machine(evidence)),
    )
    return Contents(
        run=result.run,
        title=result.experiment,
        header=header(evidence, result, conclude(evidence, result, page_input.answers)),
        findings=tuple({(one.severity, one.text): one for one in result.findings}.values()),
        sections=_told_apart(section for section in sections if not section.empty),
        tables=tuple(tables(result)),
    )


def _with_notes(section: Section, notes: Sequence[str]) -> Section:
    return replace(section, notes=(*section.notes, *notes))


def _machine(evidence: RunEvidence) -> tuple[Picture, ...]:
    picture = level_picture(evidence.level)
    return () if picture is None else (picture,)


def _told_apart(sections: Iterable[Section]) -> tuple[Section, ...]:
    """The sections with unique anchors. If shortened names are equal, a number is appended."""
    seen: Counter[str] = Counter()

    def named(one: Figure) -> Figure:
        seen[one.name] += 1
        count = seen[one.name]
        return one if count == 1 else replace(one, name=f"{one.name}-{count}")

    return tuple(
        replace(
            section,
            pictures=tuple(map(named, section.pictures)),
            sources=tuple(map(named, section.sources)),
        )
        for section in sections
    )


def _service_pictures(page_input: PageInput, legend: Legend) -> Iterator[Picture]:
    for point in operating_points(page_input.evidence, page_input.result):
        yield percentile_picture(point, legend)
        found = (
            cost_picture(point, legend),
            system_call_picture(point, legend),
            rate_picture(point, legend),
            warm_up_picture(point, legend),
        )
        yield from (picture for picture in found if picture is not None)
        yield from latency_pictures(point, page_input, legend)


def _first(
    name: str,
    title: str,
    pictures: Iterator[Picture],
    elsewhere: str = "The tables contain the values of the pictures that are left out",
) -> Section:
    """The first pictures, as many as the page has room for. Further pictures are not drawn."""
    first = tuple(islice(pictures, MOST_PICTURES))
    if next(pictures, None) is None:
        return Section(name, title, first)
    note = f"This section shows only its first {len(first)} pictures. {elsewhere}."
    return Section(name, title, first, (note,))


def _no_room(pictures: int) -> tuple[str, ...]:
    if not pictures:
        return ()
    return (
        f"This section leaves out {pictures:,} more pictures, which show further workloads. "
        "The tables contain the values that these pictures would show.",
    )


def _left_out(cells: int) -> tuple[str, ...]:
    if not cells:
        return ()
    return (
        "The programs whose executions were least steady come first. The page leaves out the "
        f"curves of {cells:,} more programs. The tables contain the numbers of these programs, "
        "and the run's folder contains their iterations.",
    )


@dataclass(frozen=True)
class Header:
    """The page's header. `facts` are lines of text, each with a name."""

    conclusion: Conclusion
    facts: tuple[tuple[str, str], ...]


def header(evidence: RunEvidence, result: RunResult, conclusion: Conclusion) -> Header:
    return Header(conclusion, tuple(_header_facts(evidence, result)))


def _header_facts(evidence: RunEvidence, result: RunResult) -> Iterator[tuple[str, str]]:
    plan, host = evidence.plan, evidence.host
    if plan.about:
        yield "About", brief(plan.about)
    yield "Experiment", f"{brief(plan.experiment)}, profile {plan.profile}"
    executions = sum(cell.executions for cell in result.cells)
    yield "Cells", f"{len(result.cells):,}, {executions:,} completed executions"
    yield (
        "When",
        time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(plan.created_realtime_ns // 10**9)),
    )
    yield "Where", _where(host)
    if host.calibration is not None:
        yield (
            "Noise floor",
            (
                "the smallest difference that can be detected is "
                f"{quantity.percent(host.calibration.noise_floor_cpu)} of CPU time and "
                f"{quantity.percent(host.calibration.noise_floor_wall)} of wall time"
            ),
        )
    yield "Made by", f"runfair {brief(plan.runfair)}, order seed {plan.order_seed}"


def _where(host: Host) -> str:
    return brief(
        f"{host.name}: {len(host.processors)} × {host.processor_model}, "
        f"{quantity.size(host.memory_bytes)}, {host.system}, kernel {host.kernel}"
    )
