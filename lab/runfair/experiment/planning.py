"""Makes a plan for this machine from an experiment's file and a profile."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence

from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.experiment import Experiment, Measure
from runfair.catalogue.profile import greater_profile, profile
from runfair.catalogue.runtime import variants
from runfair.catalogue.service import service_benchmarks
from runfair.errors import UserMistake
from runfair.experiment.order import planned_executions
from runfair.experiment.own_version import own_version
from runfair.experiment.peak_planning import add_peak_cells
from runfair.experiment.plan_draft import (
    OnStep,
    PlanDraft,
    Request,
)
from runfair.experiment.program_planning import add_program_cells
from runfair.experiment.service_planning import add_service_cells
from runfair.formats.plan import Cell, GreaterProfile, Plan, ProfileName
from runfair.machine.kernel_files import format_processors
from runfair.machine.processors import Assignment, assign
from runfair.probing.adapter import supported
from runfair.probing.instruction_counts import INSTALL


def resolve(experiment: Experiment, request: Request, on_step: OnStep) -> Plan:
    """The plan of an experiment. All programs are built and all inputs are generated.

    `on_step` gets a line before each slow step. If a program cannot run here or has no input, it
    becomes a cell with the reason. Raises UserMistake if a name is wrong, or if nothing in the plan
    can be measured.
    """
    changes = experiment.profiles.get(request.profile)
    chosen = profile(request.profile, changes)
    draft = PlanDraft(chosen, benchmarks(), service_benchmarks(), variants(), request, on_step)
    overriding = changes.variants if changes is not None and changes.variants else None
    for measure in experiment.measure:
        if measure.profiles and request.profile not in measure.profiles:
            continue
        _require_own_host(experiment, measure)
        widened = overriding is not None and measure.variants == ["default"]
        update = {"variants": overriding} if widened else {}
        add_program_cells(draft, measure.model_copy(update=update))
    for serve in experiment.serve:
        if not serve.profiles or request.profile in serve.profiles:
            add_service_cells(draft, experiment, serve)
    for peak in experiment.peak:
        if not peak.profiles or request.profile in peak.profiles:
            add_peak_cells(draft, experiment, peak)
    if not draft.cells:
        raise UserMistake(
            f"{experiment.name}: with the given options, nothing of this experiment is left to "
            "measure; leave some options out, or choose benchmarks from ./runfair list benchmarks"
        )
    cells = list(draft.cells.values())
    if all(cell.absent or cell.broken_input for cell in cells):
        reasons = sorted({_why_not(cell) for cell in cells})
        raise UserMistake(
            f"nothing of this experiment can run on this machine: {'; '.join(reasons)}"
        )
    assignment = _processors(draft, cells)
    return Plan(
        runfair=own_version(),
        experiment=experiment.name,
        source=request.source,
        about=experiment.about,
        profile=request.profile,
        created_realtime_ns=time.time_ns(),
        order_seed=(seed := _seed(request)),
        baseline=_baseline(experiment.baseline, draft),
        effort=chosen.effort,
        greater=_greater(experiment, request.profile),
        measured_processors=list(assignment.measured),
        lab_processors=list(assignment.lab),
        variants=list(draft.used.values()),
        cells=cells,
        executions=planned_executions(
            cells,
            chosen.effort.executions,
            chosen.effort.pilots,
            seed,
            chosen.effort.service_executions,
        ),
        places=experiment.places,
        scores=draft.scores,
        crossovers=draft.crossovers,
        limitations=[
            *filter(
                None,
                (
                    assignment.limitation,
                    _crowded(assignment, cells),
                    _without_lines(experiment, cells),
                    _without_probe(experiment, cells),
                    _without_checks(draft),
                ),
            )
        ],
    )


def _require_own_host(experiment: Experiment, measure: Measure) -> None:
    """Raises UserMistake if the programs should run on another host. The lab reads the processors
    and the noise of its own host, and a launcher such as ssh passes neither the environment nor the
    descriptor by which the lab ends a program."""
    place = experiment.places.get(measure.place)
    if place is not None and place.host:
        raise UserMistake(
            f"[places.{measure.place}] is on the host {place.host}, but a [[measure]] runs on the "
            f"host on which ./runfair runs: start ./runfair on {place.host}, or measure on several "
            "hosts with --machines FILE (docs/machines.md)"
        )


def _greater(experiment: Experiment, name: ProfileName) -> GreaterProfile | None:
    greater = greater_profile(name)
    if greater is None:
        return None
    return GreaterProfile(
        name=greater, effort=profile(greater, experiment.profiles.get(greater)).effort
    )


def _why_not(cell: Cell) -> str:
    return cell.broken_input or f"{cell.variant}: {cell.failed_to_build or cell.unsupported}"


def _crowded(assignment: Assignment, cells: Sequence[Cell]) -> str:
    """The limitation that applies if the load generator, the relay and the database of a service
    share a single processor. A service at its peak has no relay."""
    beside = [cell for cell in cells if cell.service is not None and not cell.absent]
    relayed = [cell.service.database for cell in beside if cell.service and cell.service.database]
    peaks = any(cell.peak and cell.peak.database for cell in cells if not cell.absent)
    if set(assignment.beside) - set(assignment.generator) or not (relayed or peaks):
        return ""
    if not relayed:
        return (
            f"the load generator and the database share processor {_shared(assignment)}, so "
            "each may delay the other"
        )
    theirs = all(one.url for one in relayed)
    relay = "the relay (the proxy before the database)"
    who = "the load generator"
    who = f"{who} and {relay}" if theirs else f"{who}, {relay} and the database"
    return f"{who} share processor {_shared(assignment)}, so each may delay the others"


def _shared(assignment: Assignment) -> str:
    return format_processors(assignment.generator)


def _without_lines(experiment: Experiment, cells: Sequence[Cell]) -> str:
    """The limitation that lists the variants that cannot report the requested lines of source."""
    if not any(measure.lines for measure in experiment.measure):
        return ""
    programs = [cell for cell in cells if cell.mode != "service" and not cell.absent]
    told = {cell.variant for cell in programs if cell.lines}
    lacking = dict.fromkeys(cell.variant for cell in programs if cell.variant not in told)
    return (
        (
            f"{', '.join(lacking)} cannot report how often each line of source was executed, "
            "so the report shows no such counts"
        )
        if lacking
        else ""
    )


def _without_probe(experiment: Experiment, cells: Sequence[Cell]) -> str:
    """The limitation that lists the variants that cannot be probed although the experiment requests
    it."""
    if not (
        any(one.probe for one in experiment.measure) or any(one.probe for one in experiment.serve)
    ):
        return ""
    present = [cell for cell in cells if not cell.absent]
    probed = {cell.variant for cell in present if cell.probe}
    lacking = dict.fromkeys(cell.variant for cell in present if cell.variant not in probed)
    if not lacking:
        return ""
    return (
        f"{', '.join(lacking)} cannot be probed, because the probe supports only "
        f"{supported()}. If valgrind is installed ({INSTALL}), runfair counts the "
        "instructions of programs in C++ and Rust that are not servers"
    )


def _without_checks(draft: PlanDraft) -> str:
    """The limitation that lists the variants whose checks cannot be removed although the experiment
    requests it."""
    lacking = sorted(draft.unchecked - {one.variant for one in draft.cells.values() if one.absent})
    if not lacking:
        return ""
    return (
        f"the cost of checks is not measured in {', '.join(lacking)}, because runfair can remove "
        "checks (such as bounds checks) only from code that V8's optimising compiler made, and "
        "only if the program is not a server and runs on Node 20 to 26 on x86-64"
    )


def _seed(request: Request) -> int:
    return secrets.randbits(63) if request.order_seed is None else request.order_seed


def _processors(draft: PlanDraft, cells: Sequence[Cell]) -> Assignment:
    wanted = max(cell.factors.processors for cell in cells if not cell.absent)
    return assign(wanted, draft.machine)


def _baseline(asked: str, draft: PlanDraft) -> str:
    """The name of the baseline variant, chosen from the measured variants."""
    used = list(draft.used.values())
    if any(variant.name == asked for variant in used):
        return asked
    of_language = [variant for variant in used if variant.language == asked]
    for variant in of_language:
        if variant.default:
            return variant.name
    if of_language:
        return of_language[0].name
    if any(asked in (variant.name, variant.language) for variant in draft.all_variants):
        runnable = {cell.variant for cell in draft.cells.values() if not cell.absent}
        return next(variant.name for variant in used if variant.name in runnable)
    raise UserMistake(
        f"the baseline {asked!r} is neither a language nor a known variant; choose one from "
        "./runfair list runtimes"
    )
