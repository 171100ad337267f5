"""The conclusion of a run: the facts, each in a line, the answers, and the doubts about them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from runfair.evidence.run import RunEvidence
from runfair.fairness.checks import executions, failures, few_requests
from runfair.formats.decision import Answer
from runfair.formats.execution import Execution
from runfair.formats.finding import FigureName, Finding, VerdictState, worst
from runfair.formats.host import Host
from runfair.formats.result import CellResult, Figure, MachineLevelResult, RunResult
from runfair.report.conclusion.crossovers import crossover_questions
from runfair.report.conclusion.programs import distribution_questions, program_questions
from runfair.report.conclusion.question import Question, limited, listed, names_of
from runfair.report.conclusion.services import peak_questions, service_questions
from runfair.report.conclusion.sweeps import sweep_questions
from runfair.wording import quantity
from runfair.wording.naming import name_of
from runfair.wording.text import brief, short, shortened

MOST_NAMED = 3  # benchmarks
MOST_VOID = 2  # kinds of figures
SMALLEST_SHOWN = 0.001  # of a noise floor: one decimal of a percentage
# A proposal, not calibrated: the range of 95% of the reference loop's readings, as a share.
LARGEST_UNNAMED_VARIATION = 0.1
LONGEST_PAUSE_NS = 600 * 10**9  # the longest gap between two executions without an interruption


def measured(evidence: RunEvidence, result: RunResult) -> str:
    """The measured benchmarks and the duration, for example `sudoku and sort in 6 languages,
    payments on 3 services · took 8 min`."""
    programs = _able([cell for cell in result.cells if cell.is_program])
    services = _able([cell for cell in result.cells if not cell.is_program])
    parts = []
    if programs:
        variants = len({cell.variant for cell in programs})
        languages = len({cell.language for cell in programs})
        word = "language" if languages == variants else "variant"
        across = _counted(variants, word)
        parts.append(f"{_benchmarks(programs)} in {across}")
    if services:
        count = len({(cell.tier, cell.variant) for cell in services})
        parts.append(f"{_benchmarks(services)} on {_counted(count, 'service')}")
    said = ", ".join(parts) or "nothing"
    records = [each.record for one in evidence.cells for each in one.executions]
    took = f" · took {quantity.rough_time(_took_ns(records) / 1e9)}" if records else ""
    return f"{said}{took}"


def _able(cells: Sequence[CellResult]) -> Sequence[CellResult]:
    """The cells that could run here. If no cell could run, all are counted."""
    return [cell for cell in cells if not cell.absent] or cells


def _benchmarks(cells: Sequence[CellResult]) -> str:
    names = list(dict.fromkeys(short(cell.benchmark) for cell in cells))
    return listed(names) if len(names) <= MOST_NAMED else f"{len(names)} benchmarks"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _took_ns(records: Sequence[Execution]) -> int:
    """The time from the start of the first execution to the end of the last, without interruptions
    of the run. Executions on several hosts may overlap."""
    spans = sorted(
        (one.launch.started_realtime_ns, one.launch.started_realtime_ns + one.launch.wall_ns)
        for one in records
    )
    took_ns, reached_ns = 0, spans[0][0]
    for start_ns, end_ns in spans:
        if start_ns - reached_ns > LONGEST_PAUSE_NS:
            reached_ns = start_ns
        took_ns += max(0, end_ns - reached_ns)
        reached_ns = max(reached_ns, end_ns)
    return took_ns


def machine(hosts: Sequence[Host], level: MachineLevelResult | None = None) -> str:
    """The machine, for example `2 CPUs (AMD EPYC, KVM guest), 24 GiB, Linux 6.18 · noise floor
    0.6%`. The floor is the greatest of all hosts; the check `hosts` says how the others differ from
    the first. If the speed of the reference loop that computes varied by more than
    `LARGEST_UNNAMED_VARIATION`, the text says so instead: `its speed varied by 47%`."""
    host = hosts[0]
    guest = re.fullmatch(r"guest(?: \((.*)\))?", host.virtualised)
    virtual = f", {guest[1]} guest" if guest and guest[1] else ", guest" if guest else ""
    kernel = re.search(r"\d+\.\d+", host.kernel)
    floors = [one.calibration.noise_floor_cpu for one in hosts if one.calibration]
    floor = f"noise floor {_percent(max(floors))}" if floors else "not calibrated"
    computing = level.levels.get("computing") if level else None
    varied = computing.high / computing.low - 1 if computing else 0.0
    if varied > LARGEST_UNNAMED_VARIATION:
        floor = f"its speed varied by {varied:.0%}"
    count = f"{len(hosts)} hosts · " if len(hosts) > 1 else ""
    return (
        f"{count}{_counted(len(host.processors), 'CPU')} "
        f"({short(host.processor_model)}{virtual}), "
        f"{host.memory_bytes / 2**30:.0f} GiB, "
        f"Linux {kernel[0] if kernel else short(host.kernel)} · {floor}"
    )


def _percent(share: float) -> str:
    """One decimal; a floor is never 0, however quiet the machine."""
    return f"{share:.1%}" if share >= SMALLEST_SHOWN else f"< {SMALLEST_SHOWN:.1%}"


def fair(result: RunResult) -> str:
    """The share of fair figures, for example `92 of 102 figures fair, 10 flagged (use with care)`,
    and the number of failed and missing executions. If few kinds of figures are void, they are
    named."""
    figures = list(_fillable(result))
    counts = Counter(one.verdict for _, one in figures)
    parts = []
    if not figures:
        parts.append("nothing is measured yet")
    elif counts["fair"] == len(figures):
        parts.append(f"all {len(figures):,} figures fair")
    else:
        void = list(dict.fromkeys(name_of(name) for name, one in figures if one.verdict == "void"))
        unusable = f"unusable: {listed(void)}" if 0 < len(void) <= MOST_VOID else "unusable"
        meaning: dict[VerdictState, str] = {"flagged": "use with care", "void": unusable}
        rest = [f"{counts[one]:,} {one} ({said})" for one, said in meaning.items() if counts[one]]
        parts.append(f"{counts['fair']:,} of {len(figures):,} figures fair, {', '.join(rest)}")
    if failed := sum(cell.failed for cell in result.cells):
        parts.append(f"{_counted(failed, 'execution')} failed")
    if not result.complete:
        parts.append("incomplete: ./runfair resume")
    return "; ".join(parts)


def _fillable(result: RunResult) -> Iterator[tuple[FigureName, Figure]]:
    """All figures of the measured cells, with their names. A figure is left out if no cell had
    enough requests for it, for example p99.99 under the profile `quick`."""
    told: dict[FigureName, list[Figure]] = {}
    for cell in result.cells:
        if cell.executions + cell.failed:
            for name, figure in cell.figures.items():
                told.setdefault(name, []).append(figure)
    for name, figures in told.items():
        if not all(_too_few(one) for one in figures):
            yield from ((name, one) for one in figures)


def _too_few(figure: Figure) -> bool:
    faults = {one.check for one in figure.findings if one.severity == "fault"}
    return faults == {few_requests.NAME}


MOST = 2


@dataclass
class _Doubt:
    """A check's findings of one severity, over all cells."""

    findings: list[tuple[CellResult, Finding]] = field(default_factory=list)

    @property
    def rank(self) -> tuple[bool, bool, int, float]:
        """The sort key of doubts. Failed executions come first, because the remaining executions
        are no longer a random selection. The other doubts are sorted by severity, then by the
        number of their figures, then by their size."""
        worst = self.worst[1]
        return (
            worst.check != failures.NAME,
            worst.severity != "fault",
            -len(self.findings),
            -_size(worst),
        )

    @property
    def worst(self) -> tuple[CellResult, Finding]:
        return max(self.findings, key=lambda one: _size(one[1]))

    def about(self, places: Mapping[str, int]) -> set[int]:
        """The numbers of the questions that the doubt concerns."""
        return {places[cell.id] for cell, _ in self.findings}

    def text(self, names: Mapping[str, str]) -> str:
        cell, finding = self.worst
        if finding.cell is None:
            return finding.text
        named = dict.fromkeys([names[cell.id], *(names[one.id] for one, _ in self.findings)])
        texts = {one.text for _, one in self.findings}
        sizes = {_size(one) for _, one in self.findings}
        chosen = "worst" if len(sizes) > 1 else "for example"
        whose = f" ({chosen}: {names[cell.id]})" if len(named) > 1 and len(texts) > 1 else ""
        return f"{listed([*named])}: {finding.text}{whose}"


def doubts(result: RunResult, questions: Sequence[Question]) -> tuple[str, ...]:
    """The two most important doubts about the figures of the questions, with a line for each. The
    second doubt is about another question than the first, if there is such a doubt."""
    asked = {one for question in questions for one in question.concerns}
    found: dict[tuple[str, str], _Doubt] = {}
    for cell in result.cells:
        for name, figure in cell.figures.items():
            if (cell.id, name) not in asked:
                continue
            checks = {finding.check for finding in figure.findings}
            for finding in figure.findings:
                # If executions failed, the conclusion does not also report that there are too few.
                twice = finding.check == executions.NAME and failures.NAME in checks
                if finding.severity != "limitation" and not twice:
                    doubt = found.setdefault((finding.check, finding.severity), _Doubt())
                    doubt.findings.append((cell, finding))
    places = {cell: place for place, one in enumerate(questions) for cell, _ in one.concerns}
    left, chosen = sorted(found.values(), key=lambda one: one.rank), list[_Doubt]()
    covered: set[int] = set()
    while left and len(chosen) < MOST:
        # `min` keeps the order of rank if it cannot choose a doubt about another question.
        next_one = min(left, key=lambda one: one.about(places) <= covered)
        left.remove(next_one)
        chosen.append(next_one)
        covered |= next_one.about(places)
    names = names_of(result.cells)
    return tuple(one.text(names) for one in chosen)


def _size(finding: Finding) -> float:
    """The greatest number in the check's findings, whatever its unit."""
    return max(
        (float(one) for one in finding.values.values() if not isinstance(one, (bool, str))),
        default=0.0,
    )


@dataclass(frozen=True)
class Conclusion:
    """The conclusion. `state` is void if a limit is missed or a question has no answer,
    otherwise flagged if there are doubts. The state is None if nothing was measured."""

    facts: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    doubts: tuple[str, ...]
    state: VerdictState | None
    badge: str

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions that have no answer."""
        return tuple(one for one in self.questions if one.state == "open")


def conclude(
    evidence: RunEvidence, result: RunResult, answers: Sequence[Answer] = ()
) -> Conclusion:
    """The conclusion from a run's figures and `decide`'s answers. Every text is one line."""
    result = shortened(result)
    limits = limited(evidence)
    questions = _measured_first(
        result,
        (
            *program_questions(result, limits),
            *distribution_questions(result, limits),
            *sweep_questions(result, limits),
            *crossover_questions(result),
            *service_questions(result, answers, limits),
            *peak_questions(result, limits),
        ),
    )
    facts = (
        ("Measured", measured(evidence, result)),
        ("Machine", machine(evidence.hosts, result.machine_level)),
        ("Quality", fair(result)),
    )
    state, badge = _state(result, questions)
    return Conclusion(
        facts=tuple((name, brief(text)) for name, text in facts),
        questions=tuple(map(_plain, questions)),
        doubts=tuple(map(brief, doubts(result, questions))),
        state=state,
        badge=badge,
    )


def _measured_first(result: RunResult, questions: Sequence[Question]) -> list[Question]:
    """The questions in order, but last those about cells that the run has not executed yet."""
    waiting = {cell.id for cell in result.cells if not cell.executions + cell.failed}
    return sorted(
        questions,
        key=lambda one: bool(one.concerns) and all(cell in waiting for cell, _ in one.concerns),
    )


def _state(result: RunResult, questions: Sequence[Question]) -> tuple[VerdictState | None, str]:
    if not any(cell.executions + cell.failed for cell in result.cells):
        return None, "nothing yet"
    states = {one.state for one in questions}
    if "open" in states:
        return "void", "not answered"
    if "missed" in states:
        objective = any(cell.service and cell.service.meets == "no" for cell in result.cells)
        return "void", "objective missed" if objective else "requirement missed"
    asked = {one for question in questions for one in question.concerns}
    verdicts = [
        figure.verdict
        for cell in result.cells
        for name, figure in cell.figures.items()
        if (cell.id, name) in asked
    ]
    return ("fair", "answered") if worst(verdicts) == "fair" else ("flagged", "with doubts")


def _plain(question: Question) -> Question:
    return replace(
        question,
        title=brief(question.title),
        sentences=tuple(map(brief, question.sentences)),
        rows=tuple(tuple(map(brief, row)) for row in question.rows),
        heading=tuple(map(brief, question.heading)),
    )
