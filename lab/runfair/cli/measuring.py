"""What `run` and `resume` share: the machine made ready, the plan carried out, the result shown."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from runfair.cli.progress import RunProgress
from runfair.cli.terminal import errors, output
from runfair.driving.executor import Driver
from runfair.errors import InvalidResult
from runfair.experiment.engine import Engine, remaining
from runfair.experiment.executor import Executor
from runfair.fairness.evidence import tolerances
from runfair.fairness.figures import LATENCIES, TIMES
from runfair.formats.host import Calibration, Host
from runfair.formats.plan import Plan
from runfair.formats.result import CellResult, RunResult
from runfair.formats.run_folder import RunFolder
from runfair.machine.calibration import ensure
from runfair.machine.environment import dropped_variables
from runfair.machine.host import describe
from runfair.machine.launching import Launcher
from runfair.machine.native import LAUNCHER, build_native
from runfair.machine.processors import assign, pin_self
from runfair.report import quantity
from runfair.report.assessment import PAGE, assess
from runfair.report.page.export import export
from runfair.report.terminal import print_result
from runfair.serving.executor import ServiceExecutor
from runfair.serving.neighbours import Neighbours


def prepare_machine(plan: Plan) -> tuple[Launcher, Host]:
    """The launcher built, the lab out of the way, the machine calibrated today and described.

    The caller holds the measurement lock: a calibration is a measurement too.
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
            errors.print("calibrating this machine (once a day, about 15 s)")

    return ensure(launcher, processors, on_progress=progress)


def describe_machine(host: Host, plan: Plan) -> None:
    floor = ""
    if host.calibration is not None:
        floor = (
            f" · noise floor {quantity.percent(host.calibration.noise_floor_cpu)} CPU, "
            f"{quantity.percent(host.calibration.noise_floor_wall)} wall"
        )
    errors.print(
        f"machine     {len(host.processors)} × {escape(host.processor_model)}, "
        f"{quantity.size(host.memory_bytes)}, {escape(host.system)} {escape(host.kernel)}{floor}",
        soft_wrap=True,
    )
    if dropped := dropped_variables():
        errors.print(
            f"limitation  set here and kept from the programs: {escape(', '.join(dropped))}",
            soft_wrap=True,
        )
    for limitation in plan.limitations:
        errors.print(f"limitation  {escape(limitation)}", soft_wrap=True)


def carry_out(folder: RunFolder, plan: Plan, host: Host, launcher: Launcher) -> None:
    """Every execution that is left, under a progress bar."""
    left = remaining(plan, folder.attempts())
    with (
        RunProgress(errors, left, plan.cells, plan.effort) as progress,
        Neighbours(launcher, folder.path / "raw") as neighbours,
    ):
        Engine(
            executor=Executor(launcher, plan, folder, host),
            services=ServiceExecutor(launcher, plan, folder, host, neighbours, progress.load),
            driver=Driver(launcher, plan, folder, host),
            plan=plan,
            folder=folder,
            tolerance=tolerances(host)["wall"],
            watcher=progress,
        ).carry_out()


def show(
    folder: RunFolder, *, as_json: bool, console: Console = output, figures: Path | None = None
) -> RunResult:
    """The run's result, printed; the derived files are renewed where the folder can be written.
    The page's pictures are written to the folder `figures`, where one is named."""
    assessed = assess(folder)
    result = assessed.result
    if assessed.unwritten:
        errors.print(f"not renewed: {escape(assessed.unwritten)}", soft_wrap=True)
    if figures is not None:
        written = export(assessed.page, figures)
        errors.print(f"{len(written)} files in {escape(shown_path(figures))}", soft_wrap=True)
    if as_json:
        print(result.model_dump_json(indent=1))
        return result
    print_result(result, console)
    console.print(f"results in {shown_path(folder.path)}", soft_wrap=True, markup=False)
    if not assessed.unwritten:
        page = shown_path(folder.path / PAGE)
        console.print(f"as a page  {page}", soft_wrap=True, markup=False)
    return result


def shown_path(path: Path) -> str:
    """Short where it is below the working directory."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def require_valid(result: RunResult) -> None:
    """InvalidResult (exit 3) where an execution failed, or a cell has no time left to show."""
    failed = [cell for cell in result.cells if cell.failed]
    void = [cell for cell in result.cells if _all_void(cell)]
    if failed:
        raise InvalidResult(
            f"executions failed in {len(failed)} of {len(result.cells)} cells, "
            f"the first is {failed[0].id}; all are kept and labelled"
        )
    if void:
        raise InvalidResult(
            f"every time is void in {len(void)} of {len(result.cells)} cells, "
            f"the first is {void[0].id}; the notes say why"
        )


def _all_void(cell: CellResult) -> bool:
    """Whether nothing is left of what the cell was measured for."""
    wanted = TIMES if cell.service is None else LATENCIES
    shown = [cell.figures[figure] for figure in wanted if figure in cell.figures]
    return bool(shown) and all(figure.verdict == "void" for figure in shown)
