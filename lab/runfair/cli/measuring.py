"""The steps that `run` and `resume` share: prepare the machine, carry out the plan, show the
result."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.markup import escape

from runfair.cli.progress import EarlyTables, RunProgress
from runfair.cli.terminal import errors, output
from runfair.errors import InvalidResult
from runfair.evidence.blocks import RecordedRepeats
from runfair.evidence.run import tolerances
from runfair.experiment.engine import Engine, remaining
from runfair.experiment.program_executor import ProgramExecutor
from runfair.experiment.readings import Readings
from runfair.formats.host import Calibration, Host
from runfair.formats.plan import Plan, PlannedExecution
from runfair.formats.run_folder import RunFolder
from runfair.machine.calibration import Reference, ReferenceLoop, ensure
from runfair.machine.environment import dropped_variables
from runfair.machine.host import describe
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, REFERENCE, build_native
from runfair.machine.processors import assign, pin_self
from runfair.paths import private_folder
from runfair.report.assessment import PAGE, Assessment, assess
from runfair.report.page.picture import export
from runfair.report.requirements import require_met
from runfair.report.terminal import print_conclusion, print_facts, print_result
from runfair.serving.databases import Databases
from runfair.serving.driven_executor import DrivenExecutor
from runfair.serving.executor import ServiceExecutor
from runfair.serving.peak_executor import PeakExecutor
from runfair.serving.place_host import PlaceHosts
from runfair.wording import quantity


def prepare_machine(plan: Plan) -> tuple[Launcher, Host]:
    """Builds the launcher, moves the lab off the measured processors, calibrates the machine (once
    a day) and describes it.

    The caller holds the measurement lock, because a calibration is a measurement too.
    """
    launcher = Launcher(build_native(LAUNCHER))
    single = assign(1)
    pin_self(single.lab)
    calibration = calibrated(launcher, list(single.measured))
    host = describe(calibration)
    describe_machine(host, plan)
    return launcher, host


def calibrated(launcher: Launcher, processors: list[int]) -> Calibration:
    def progress(done: int, _total: int) -> None:
        if done == 1:
            errors.print(
                "runfair calibrates this machine, which takes about 15 s and is needed once a day"
            )

    return ensure(launcher, processors, on_progress=progress)


def describe_machine(host: Host, plan: Plan) -> None:
    floor = ""
    if host.calibration is not None:
        floor = (
            f" · noise floor {quantity.percent(host.calibration.noise_floor_cpu)} of CPU time, "
            f"{quantity.percent(host.calibration.noise_floor_wall)} of wall time"
        )
    errors.print(
        f"machine     {len(host.processors)} × {escape(host.processor_model)}, "
        f"{quantity.size(host.memory_bytes)}, {escape(host.system)} {escape(host.kernel)}{floor}",
        soft_wrap=True,
    )
    if dropped := dropped_variables():
        errors.print(
            "limitation  these environment variables could change how the programs run, so "
            f"runfair does not pass them on: {escape(', '.join(dropped))}",
            soft_wrap=True,
        )
    for limitation in plan.limitations:
        errors.print(f"limitation  {escape(limitation)}", soft_wrap=True)


def carry_out(
    folder: RunFolder, plan: Plan, host: Host, launcher: Launcher, *, tables: bool = True
) -> None:
    """Carries out every remaining execution, with a progress bar. If `tables` is set, each table is
    shown as soon as its cells are complete.
    """
    left = remaining(plan, folder.attempts())
    with (
        RunProgress(errors, left, plan.cells, plan.effort) as progress,
        Databases(launcher, folder.path / "raw") as databases,
        PlaceHosts(launcher, plan, folder.path / "raw") as hosts,
        TemporaryDirectory(prefix="reference-", dir=private_folder()) as scratch,
    ):
        reference = Reference(launcher, build_native(REFERENCE), Path(scratch))
        repeats = RecordedRepeats(folder, plan)
        Engine(
            executors={
                "program": ProgramExecutor(launcher, plan, folder, host),
                "driven": DrivenExecutor(launcher, plan, folder, host),
                "peak": PeakExecutor(launcher, plan, folder, host, databases),
                "service": ServiceExecutor(
                    launcher, plan, folder, host, databases, hosts, progress.load
                ),
            },
            host=host,
            plan=plan,
            folder=folder,
            tolerance=tolerances(host)["wall"],
            watcher=EarlyTables(progress, folder, plan, left) if tables else progress,
            readings=Readings(ReferenceLoop(reference), folder),
            next_repeat=lambda: announced(repeats.next_block()),
        ).carry_out()


def announced(block: list[PlannedExecution]) -> list[PlannedExecution]:
    """The block, unchanged. If the block is not empty, a line is printed that announces its
    repeat."""
    if block:
        cells = {one.cell for one in block}
        errors.print(
            f"other processes disturbed block {block[0].block} (a group of executions of "
            f"{len(cells)} programs), so runfair measures this block again"
        )
    return block


def show(
    folder: RunFolder,
    *,
    as_json: bool,
    details: bool = False,
    console: Console = output,
    figures: Path | None = None,
) -> Assessment:
    """Prints the run's conclusion. If `details` is set, the facts about the run and all tables
    are printed before it.

    If the run's folder is writable, the derived files are renewed. If a folder `figures` is given,
    the page's pictures are written to it.
    """
    assessed = assess(folder)
    if assessed.unwritten:
        errors.print(
            "the results are shown, but could not be stored in the run's folder, so the stored "
            f"tables and page may be outdated: {escape(assessed.unwritten)}",
            soft_wrap=True,
        )
    if figures is not None:
        written = export(assessed.page.pictures, figures)
        errors.print(f"{len(written)} files in {escape(shown_path(figures))}", soft_wrap=True)
    if as_json:
        print(assessed.result.model_dump_json(indent=1))
        return assessed
    if details:
        print_facts(assessed.page.header.facts, console)
        print_result(assessed.result, console)
    look = f"{shown_path(folder.path / PAGE)}, tables.md"
    if assessed.unwritten:
        look = shown_path(folder.path)
    print_conclusion(assessed.conclusion, look, console)
    return assessed


def shown_path(path: Path) -> str:
    """The path. If the path lies below the working directory, the result is relative to that
    directory."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def require_answers(assessed: Assessment) -> None:
    """Raises GateNotMet (exit 4) if the run does not show what its experiment requires, and
    InvalidResult (exit 3) if a question has no answer."""
    require_met(assessed.result)
    conclusion = assessed.conclusion
    left, asked = len(conclusion.open), len(conclusion.questions)
    if left:
        raise InvalidResult(
            f"{left} of {asked} question{'s' * (asked != 1)} in the conclusion "
            f"{'has' if left == 1 else 'have'} no answer; the conclusion gives the reason"
        )
