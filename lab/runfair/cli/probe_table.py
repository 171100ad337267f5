"""The table of a probed runtime in the terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.table import Table as Grid
from rich.text import Text

from runfair.cli.terminal import output
from runfair.formats.estimate import Estimate
from runfair.formats.probe import BytecodeCost, ProbeTable
from runfair.probing.cost_table import CPU_TIMER
from runfair.wording.quantity import counted, duration, percent, three_digits

MOST_HOT_LINES = 10
MOST_PROCESSES = 8


def print_table(table: ProbeTable, wanted: list[str], top: int) -> None:
    number = len(table.processes)
    processes = "1 process" if number == 1 else f"{number} processes"
    only = (
        " (only the bytecodes that the interpreter executed, without compiled code)"
        if table.compiles
        else ""
    )
    output.print(
        f"{table.runtime} {table.version} · {processes} · {counted(table.executions)} bytecodes"
        f"{only} in {duration(table.cpu_ns)} of CPU time, measured under the probe"
    )
    if number > 1:
        for process in table.processes[:MOST_PROCESSES]:
            output.print(
                f"  process {process.pid} · {counted(process.executions)} bytecodes"
                f" in {duration(process.cpu_ns)}"
            )
        if number > MOST_PROCESSES:
            output.print(f"  {number - MOST_PROCESSES} more processes (--json shows all)")
    shown = [one for one in table.bytecodes if not wanted or {one.name, one.family} & {*wanted}]
    columns = [
        (title, words)
        for title, words in COLUMNS.items()
        if title in ALWAYS or any(words(cost) for cost in shown)
    ]
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for title, _ in columns:
        grid.add_column(title, justify="left" if title in LEFT else "right")
    for cost in shown[:top]:
        grid.add_row(*(Text(words(cost) or "—") for _, words in columns))
    output.print(grid)
    if len(shown) > top:
        output.print(f"{len(shown) - top} more bytecodes (--top {len(shown)} shows all)")
    if table.no_times:
        output.print(f"The table has no times per execution, because {table.no_times}.")
    if table.samples:
        _print_lines(table)
    elif table.sampled_by:
        output.print(_no_samples(table))
    names = {one.name for one in shown}
    pairs = [one for one in table.pairs if {one.first, one.second} & names]
    for pair in pairs[:top]:
        output.print(f"  {pair.first} → {pair.second}  {pair.executions:,}")
    if table.probe_ns is not None:
        output.print(
            f"The probe itself took {_estimate(table.probe_ns, ' ns')} per execution of a "
            f"bytecode{_copied(table.copied_ns)}. The table does not contain this time."
        )
    if table.cycle_ns is not None:
        output.print(f"A cycle of the processor took {three_digits(table.cycle_ns.value)} ns.")


def _copied(copied_ns: Estimate | None) -> str:
    if copied_ns is None:
        return ""
    return f", and {_estimate(copied_ns, ' ns')} if it executed a copy of the bytecode's code"


def _percentage(share: Estimate | None) -> str:
    if share is None:
        return ""
    return f"{100 * share.value:.1f}% ±{50 * (share.high - share.low):.1f}"


def _estimate(found: Estimate | None, unit: str = "") -> str:
    if found is None:
        return ""
    half_width = three_digits((found.high - found.low) / 2)
    return f"{three_digits(found.value)}{unit} ±{half_width}"


def _hottest(cost: BytecodeCost) -> str:
    return "  ".join(
        f"{Path(each.path).name}:{each.line} {percent(each.share)}" for each in cost.lines
    )


COLUMNS: dict[str, Callable[[BytecodeCost], str]] = {
    "bytecode": lambda cost: cost.name,
    "executions": lambda cost: f"{cost.executions:,}",
    "CPU time": lambda cost: _percentage(cost.share),
    "each": lambda cost: _estimate(cost.ns_each, " ns"),
    "cycles": lambda cost: _estimate(cost.cycles_each),
    "latency": lambda cost: _estimate(cost.latency_ns, " ns"),
    "instructions": lambda cost: _estimate(cost.instructions),
    "hottest lines": _hottest,
}
ALWAYS = ("bytecode", "executions")
LEFT = ("bytecode", "hottest lines")


def _no_samples(table: ProbeTable) -> str:
    if table.lost_samples and table.sampled_by == CPU_TIMER:
        return (
            "The table has no CPU times, because the process could not be sampled: neither "
            "perf_event_open nor timer_create is allowed here. A container may forbid these "
            "system calls."
        )
    return (
        "The table has no CPU times, because the program ended before the first sample, blocked "
        "all signals, or closed the probe's file descriptor (a number from 700 on)."
    )


def _print_lines(table: ProbeTable) -> None:
    if table.lines:
        output.print("The hottest lines, with their shares of the CPU time")
    elif table.no_lines:
        output.print(f"The source lines are unknown, because {table.no_lines}.")
    for line in table.lines[:MOST_HOT_LINES]:
        text = f"  {percent(line.share):>6}  {line.path}:{line.line} in {line.function}"
        output.print(Text(text), soft_wrap=True)
    if table.functions and table.compiles:
        output.print("The hottest functions, including compiled functions")
        for one in table.functions[:MOST_HOT_LINES]:
            text = f"  {percent(one.share):>6}  {one.function} in {one.path or 'an unknown file'}"
            output.print(Text(text), soft_wrap=True)
    if table.parts:
        shares = " · ".join(f"{one.part} {_percentage(one.share)}" for one in table.parts)
        output.print(f"Where the CPU time went: {shares}")
    if table.outside is not None:
        lost = f" · {table.lost_samples:,} lost" if table.lost_samples else ""
        output.print(
            f"{table.samples:,} samples by {table.sampled_by}{lost} ·"
            f" outside the interpreter {_percentage(table.outside)}"
        )
