"""The variant's settings are in force inside the program.

**Looks for** differences between the requested settings and the settings in force. The requested
settings are those of the variant (a runtime with flags, for example for the garbage collector, the
JIT compiler or optimisation) and those that the experiment declares (heap size, processors,
threads). The settings in force are the values that the program reports in the field `effective` of
its output, or the flags that are recorded in the built program.

**Threshold** If a setting in force differs from the requested setting, all measured values of the
program are void (invalid), because they do not describe the variant (runtime with flags) that the
experiment requested. The check also compares the number of processors on which a program's
scheduler runs tasks (GOMAXPROCS in Go), if the program reports this number. The following
differences are allowed, and most of them are noted:

- A program with one thread in C, C++, Rust, Python or JavaScript may see more processors than it
  was given, because it does not create a thread for each processor. JVMs and Go create a thread for
  each processor, so they must not see more processors than they were given.
- A server may use fewer threads than it was given if it is measured in a closed loop (the load
  generator waits for an answer before it sends the next request).
- A benchmark may declare the largest number of threads that a language can use (`most_threads`),
  for example one thread for JavaScript's event loop. If the experiment requests more threads, a
  program in this language must use exactly the declared number.
- The heap limit in force may differ from the requested heap limit by up to `HEAP_TOLERANCE` of the
  requested limit, or by up to `YOUNG_GENERATION_BYTES` if this is more. The reason is that runtimes
  round heap limits to whole regions, and that the heap limit of some runtimes does not include the
  young generation.

If neither the program nor its recorded flags show whether a setting is in force, the check lists
the setting as unknown.

**Source** The section "Fairness" of docs/statistics.md describes how conditions change settings.
For example, a JDK that is pinned to one processor silently uses its serial collector. A CPU quota
changes the size of thread pools.

**What to do** Correct the variant's flags in the catalogue (runfair's list of runtimes), or the
values that the program reports in `effective`. If the program uses only one thread, state `threads
= [1]` in the experiment.
"""

from __future__ import annotations

from collections.abc import Iterator

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence
from runfair.fairness.effective import in_force, same
from runfair.fairness.figures import FIGURES
from runfair.fairness.findings import on_each_host
from runfair.formats.finding import Finding, Severity
from runfair.formats.record import Scalar

NAME = "effective_flags"
DOUBT = "other flags"
VERSION = 4
HEAP_TOLERANCE = 0.1
# On 64-bit systems V8 adds three semi-spaces of 16 MiB to its old space.
YOUNG_GENERATION_BYTES = 48 * 1024 * 1024
MAKES_NO_THREADS = frozenset({"c", "c++", "rust", "python", "javascript"})


def check(run: RunEvidence) -> Iterator[Finding]:
    for one in run.launched:
        yield from on_each_host(one, _flags)


def _flags(one: CellEvidence) -> Iterator[Finding]:
    yield from _settings(one)
    yield from _heap(one)
    yield from _counts(one)
    yield from _scheduler(one)


def _settings(one: CellEvidence) -> Iterator[Finding]:
    unknown = []
    for key, asked in sorted(one.variant.settings.items()):
        said = in_force(one, key)
        if said is None:
            unknown.append(key)
        elif not same(asked, said):
            yield _contradiction(one, key, asked, said)
    if unknown:
        yield _unknown(one, unknown)


def _heap(one: CellEvidence) -> Iterator[Finding]:
    asked = one.cell.factors.heap_bytes
    if asked is None:
        return
    said = in_force(one, "heap_max_bytes")
    if said is None:
        yield _unknown(one, ["heap_max_bytes"])
    elif isinstance(said, str) or abs(said - asked) > max(
        HEAP_TOLERANCE * asked, YOUNG_GENERATION_BYTES
    ):
        yield _contradiction(one, "heap_max_bytes", asked, said)


def _counts(one: CellEvidence) -> Iterator[Finding]:
    starts = [run.record.start for run in one.completed if run.record.start is not None]
    if len(starts) < len(one.completed):
        yield _unknown(one, ["processors", "threads"])
    given = one.cell.factors.processors
    expected = min(one.cell.threads, one.cell.most_threads or one.cell.threads)
    if starts and expected < one.cell.threads:
        text = (
            f"the program uses {expected} of the {one.cell.threads} requested threads, "
            "because `most_threads` in its benchmark allows no more"
        )
        yield _finding(one, "limitation", text)
    for said in sorted({start.threads for start in starts} - {expected}):
        if one.cell.kind in ("driven", "peak") and said < one.cell.threads:
            text = f"the program uses only {said} of the {one.cell.threads} threads that it may use"
            yield _finding(one, "limitation", text)
            continue
        yield _contradiction(one, "threads", expected, said, _threads_advice(one, said))
    for said in sorted({len(run.record.launch.processors) for run in one.completed} - {given}):
        yield _finding(
            one,
            "fault",
            f"the experiment requested processors = {given}, but runfair pinned the program to "
            f"{said}",
            "measure again on a machine that lets runfair choose the processors of a program",
            {"asked": given, "in_force": said},
        )
    for said in sorted({start.processors for start in starts} - {given}):
        if one.cell.threads == 1 and one.cell.language in MAKES_NO_THREADS:
            yield _finding(
                one,
                "limitation",
                f"the program reports that it has {said} processors, but runfair gave it {given}",
            )
        else:
            yield _contradiction(one, "processors", given, said)


def _scheduler(one: CellEvidence) -> Iterator[Finding]:
    given = one.cell.factors.processors if one.cell.kind == "program" else one.cell.threads
    said = in_force(one, "gomaxprocs")
    if said is not None and said != given:
        yield _contradiction(one, "gomaxprocs", given, said)


def _threads_advice(one: CellEvidence, said: int) -> str:
    if one.cell.most_threads and one.cell.most_threads < one.cell.threads:
        return (
            "correct the program, or correct `most_threads` in its benchmark, which is "
            f"{one.cell.most_threads}"
        )
    if said == one.cell.factors.processors > one.cell.threads:
        return (
            f"state `threads = [{said}]` in the experiment, because the program has a thread for "
            "each of its processors"
        )
    if said > one.cell.threads:
        return (
            "correct the program, which must not use more threads than its option `threads` states"
        )
    uses = "1 thread" if said == 1 else f"{said} threads"
    return f"state `threads = [{said}]` in the experiment, because the program uses {uses}"


def _contradiction(
    one: CellEvidence, key: str, asked: Scalar, said: Scalar, advice: str = ""
) -> Finding:
    return _finding(
        one,
        "fault",
        f"the experiment requested {key} = {asked}, but the program ran with {key} = {said}",
        advice or f"correct the flags of {one.cell.variant} in runtimes.toml",
        {"asked": asked, "in_force": said},
    )


def _unknown(one: CellEvidence, keys: list[str]) -> Finding:
    return _finding(
        one,
        "limitation",
        (
            "it is unknown whether the program ran with the requested values of these "
            f"settings: {', '.join(keys)}"
        ),
    )


def _finding(
    one: CellEvidence,
    severity: Severity,
    text: str,
    advice: str = "",
    values: dict[str, Scalar] | None = None,
) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*FIGURES],
        text=text,
        advice=advice,
        values=values or {},
    )
