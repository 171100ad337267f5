"""The verification of services. Every canonical request is sent, one at a time and untimed, and
must get its right answer."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from runfair.building.failure import BuildFailed
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.experiment import Experiment, Serve
from runfair.catalogue.profile import profile
from runfair.catalogue.service import FrameworkText, ServiceBenchmark, WorkloadText
from runfair.conformance.rule import Rule, Service
from runfair.conformance.rules_kept import broken_rules, rules_of
from runfair.conformance.statement_tap import StatementTap
from runfair.errors import UserMistake
from runfair.experiment.plan_draft import PlanDraft, Request
from runfair.experiment.service_planning import add_service_cells
from runfair.experiment.unprivileged import with_unprivileged_user
from runfair.formats.plan import Cell
from runfair.formats.service import PROTOCOL_NAMES
from runfair.formats.variant import Variant
from runfair.machine.environment import clean_environment
from runfair.machine.launching import Launcher, error_line
from runfair.machine.user import ENTERED_BY_ALL
from runfair.serving.database import PrivateDatabase
from runfair.serving.instance import Instance, ServiceFailed, Surroundings
from runfair.serving.postgresql_server import find_binaries
from runfair.serving.postgresql_template import Table
from runfair.serving.request import CheckedRequest

LIFE_LIMIT_S = 300.0
ANSWER_LIMIT_S = 30.0


@dataclass(frozen=True)
class VerifiedService:
    """The verification of a service on a workload, with the number of rules that the service kept.
    `skipped` says why the service was not verified, `failure` says what was wrong."""

    name: str
    answers: int = 0
    rules: int = 0
    failure: str = ""
    skipped: str = ""


OnVerified = Callable[[VerifiedService], None]


@dataclass(frozen=True)
class WantedServices:
    """The frameworks and workloads of a benchmark that are verified."""

    benchmark: ServiceBenchmark
    frameworks: Sequence[str]
    workloads: Sequence[str]


def wanted_services(
    benchmarks: Sequence[ServiceBenchmark], frameworks: Sequence[str], workloads: Sequence[str]
) -> list[WantedServices]:
    """The named frameworks that each benchmark has, on the named workloads. Without names, every
    framework. UserMistake for an unknown name."""
    known = {name for one in benchmarks for name in one.frameworks}
    for name in frameworks:
        if name not in known:
            raise unknown("service", name, known)
    found = []
    for one in benchmarks:
        mine = [name for name in frameworks or one.frameworks if name in one.frameworks]
        if mine:
            found.append(WantedServices(one, mine, _workloads(one, workloads)))
    return found


def verify_services(
    wanted: Sequence[WantedServices],
    variants: Sequence[Variant],
    patterns: Sequence[str],
    size: str,
    threads: int,
    launcher: Launcher,
    processors: Sequence[int],
    on_verified: OnVerified,
) -> list[VerifiedService]:
    """The verification of each framework on each workload. `patterns` select variants. If there are
    no patterns, the default variant of each framework is used."""
    done = []
    for each in wanted:
        for name in each.frameworks:
            for one in _framework(
                *(each, name, variants, patterns, size, threads, launcher, processors)
            ):
                on_verified(one)
                done.append(one)
    return done


def _framework(
    wanted: WantedServices,
    name: str,
    variants: Sequence[Variant],
    patterns: Sequence[str],
    size: str,
    threads: int,
    launcher: Launcher,
    processors: Sequence[int],
) -> Iterator[VerifiedService]:
    benchmark = wanted.benchmark
    text = benchmark.framework(name).text
    for workload, protocol in itertools.product(wanted.workloads, text.protocols):
        if protocol == "grpc" and not benchmark.workload(workload).calls:
            continue
        request = Request("smoke", runtimes=tuple(patterns))
        draft = PlanDraft(
            profile("smoke", None),
            {},
            {benchmark.name: benchmark},
            list(variants),
            request,
            lambda _: None,
            builds_must_work=True,
        )
        serve = Serve(
            benchmark=benchmark.name,
            workload=workload,
            size=size,
            services=[name],
            rate=1,
            threads=[threads],
            protocol=protocol,
        )
        try:
            add_service_cells(draft, Experiment(serve=[serve]), serve, measured=False)
        except BuildFailed as failure:
            yield VerifiedService(f"{benchmark.name} {workload} {name}", failure=str(failure))
            return  # verification would fail for the other workloads in the same way
        for cell in draft.cells.values():
            yield _verified(cell, _rules(text, benchmark.workload(workload)), launcher, processors)


def _workloads(benchmark: ServiceBenchmark, names: Sequence[str]) -> list[str]:
    """The named workloads. In a suite with rules, `all` stands for the workloads with rules: the
    others differ from them only in a count, and the rules try every count."""
    every = benchmark.text.workloads
    found: list[str] = []
    for name in names:
        if name == "all":
            found += [one for one, text in every.items() if text.rules] or every
        else:
            found.append(benchmark.text.default_workload if name == "default" else name)
            benchmark.workload(found[-1])
    return list(dict.fromkeys(found))


def _rules(framework: FrameworkText, workload: WorkloadText) -> list[Rule]:
    """The rules that a framework must keep on a workload; none if the suite has no rules."""
    if workload.rules is None:
        return []
    return rules_of(workload.rules, pipelined=not framework.unpipelined(workload))


def _verified(
    cell: Cell, rules: Sequence[Rule], launcher: Launcher, processors: Sequence[int]
) -> VerifiedService:
    assert cell.service is not None
    name = f"{cell.benchmark} {cell.workload} {cell.size} {cell.tier} {cell.variant}"
    protocol = cell.service.point.protocol
    if protocol != "http":
        name += f" {PROTOCOL_NAMES[protocol]}"
    if cell.threads > 1:
        name += f" {cell.threads} threads"
    if cell.unsupported:
        return VerifiedService(name, skipped=cell.unsupported)
    questions = CheckedRequest.all_of(Path(cell.service.point.traffic), protocol)
    with tempfile.TemporaryDirectory(prefix="runfair-verify-") as folder, ExitStack() as stack:
        raw = Path(folder)
        raw.chmod(ENTERED_BY_ALL)
        url, database, tap = "", None, None
        if cell.service.database is not None:
            tables = [
                Table(one.name, one.columns, one.primary_key, Path(one.rows))
                for one in cell.service.database.tables
            ]
            try:
                find_binaries()
            except UserMistake as missing:
                return VerifiedService(name, skipped=str(missing))
            database = stack.enter_context(
                PrivateDatabase.start(launcher, processors=processors, tables=tables, folder=raw)
            )
            url = database.url
            if rules:
                tap = stack.enter_context(StatementTap(database.address))
                url = tap.url
        surroundings = Surroundings(
            launcher=launcher,
            raw=raw,
            processors=processors,
            timeout_s=LIFE_LIMIT_S,
            environment={**clean_environment(), **cell.artefact.environment},
            stderr=raw / "stderr",
            database=url,
        )
        try:
            with Instance(with_unprivileged_user(cell, raw)[0], surroundings, None) as instance:
                wrong = _first_wrong(instance, questions)
                if rules and not wrong:
                    query = database.query if database is not None else None
                    address = instance.address
                    service = Service(address.host, address.port, query, tap)
                    wrong = "; ".join(broken_rules(service, rules))
                instance.stop()
        except ServiceFailed as failure:
            return VerifiedService(name, failure=f"{failure}{error_line(raw / 'stderr')}")
        ended = instance.report
        if not wrong and ended is not None and ended.outcome.exit_status != 0:
            wrong = (
                "after its stop signal, the service must exit with status 0, but it did "
                f"not{error_line(raw / 'stderr')}"
            )
    if wrong:
        return VerifiedService(name, failure=wrong)
    return VerifiedService(name, len(questions), len(rules))


def _first_wrong(instance: Instance, questions: Sequence[CheckedRequest]) -> str:
    for question in questions:
        try:
            wrong = question.asked(instance.address, ANSWER_LIMIT_S)
        except (OSError, HTTPException) as error:
            return f"{question.method} {question.path}: {error or type(error).__name__}"
        if wrong:
            return wrong
    return ""
