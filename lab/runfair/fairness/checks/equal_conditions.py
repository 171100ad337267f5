"""Compared programs ran under the same conditions, and did the same work.

**Looks for** these differences:

- The compared programs have different parameters, inputs or processors.
- The compared services have different numbers of instances (processes).
- A program ran a benchmark, workload (input), size or seed that runfair did not request.
- The experiment declares a CPU quota, a memory limit or a heap size for an external service (a
  service that runfair did not start). runfair cannot limit such a service.
- The experiment requests a cold page cache (the files are not in memory), but the files were in
  memory.
- The operation counts of a program differ from the canonical counts (the counts that are recorded
  as right). If no canonical counts are recorded, the check compares the programs with each other.

An operation count states how often a program performed an operation of its task, such as a
comparison. Only `./runfair verify` counts operations. Timed executions do not count operations, so
most runs contain no operation counts.

**Threshold** If the number of a service's instances (processes) differs from the baseline's, all
measured values of the service are flagged (marked as doubtful). The baseline is the service with
which the others are compared. Several instances share the processors that a single instance would
use, but have more connections, memory and threads. The values stay usable, because the services may
have different numbers of instances in production too. Any other difference in the list above makes
all measured values of the program void (invalid), because the compared programs then did not run
under the same conditions, or did not do the same work. If the experiment requests a cold page
cache, up to `WARMEST_COLD_FILES` of the files' bytes may still be in memory.

The check only notes these uncertainties:

- It is unknown whether a requested CPU quota, memory limit or cold page cache was in force.
- Operations were not counted, so it is unknown whether the programs did the same work.
- A service is external (not started by runfair), so its processors and its memory are unknown.

**Source** The section "Fairness" of docs/statistics.md requires equal conditions. The entry
"factor" of docs/glossary.md lists the conditions.

**What to do** State the condition in the experiment, so that the condition applies to all programs.
If the programs did different work, run `./runfair verify BENCHMARK`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from runfair.evidence.cell import CellEvidence
from runfair.evidence.run import RunEvidence, same_work
from runfair.fairness.figures import FIGURES
from runfair.formats.finding import Finding, Severity

NAME = "equal_conditions"
DOUBT = "unlike conditions"
VERSION = 4
# Metadata and the pages that the file system itself holds stay in memory.
WARMEST_COLD_FILES = 0.01


def check(run: RunEvidence) -> Iterator[Finding]:
    for group in run.groups(among=run.launched):
        baseline = run.baseline(group)
        for one in group:
            yield from _differences(one, baseline)
    for group in run.groups(among=run.services):
        for one in group:
            yield from _instances(one, run.baseline(group))
    for one in run.launched:
        if one.completed:
            yield from _told(one)
            yield from _limits(one)
    for one in run.external:
        if one.completed:
            yield from _given(one)
    for cells in run.groups(same_work, run.programs):
        yield from _operations(cells)


def _differences(one: CellEvidence, baseline: CellEvidence) -> Iterator[Finding]:
    # A service of the user gets no input files from the lab.
    given = one.cell.hosting.kind == baseline.cell.hosting.kind == "program"
    for what, mine, its in (
        ("parameters", one.cell.parameters, baseline.cell.parameters),
        *((("inputs", one.cell.inputs, baseline.cell.inputs),) if given else ()),
        ("processors", _processors(one), _processors(baseline)),
    ):
        if mine != its and not (what == "processors" and not (mine and its)):
            yield _finding(
                one,
                "fault",
                (
                    f"the {what} of this program are {mine}, but those of "
                    f"{baseline.cell.variant} are {its}, so the two programs cannot be compared"
                ),
            )


def _instances(one: CellEvidence, baseline: CellEvidence) -> Iterator[Finding]:
    mine, its = (each.cell.service for each in (one, baseline))
    if mine is not None and its is not None and mine.instances != its.instances:
        text = (
            f"the compared services have unequal resources: this service has {mine.instances} "
            f"instance{'' if mine.instances == 1 else 's'}"
        )
        yield _finding(one, "warning", f"{text}, but {baseline.cell.variant} has {its.instances}")


def _processors(one: CellEvidence) -> list[list[int]]:
    records = (record for run in one.completed for record in run.record.by_host)
    found = {tuple(sorted(record.launch.processors)) for record in records}
    return [list(processors) for processors in sorted(found)]


def _told(one: CellEvidence) -> Iterator[Finding]:
    starts = [run.record.start for run in one.completed if run.record.start is not None]
    cell = one.cell
    told = {"benchmark": cell.program, "workload": cell.workload, "size": cell.size}
    for key, asked in {**told, "seed": cell.seed}.items():
        # Since version 2 of the contract, programs print only the name of the benchmark, not its
        # workload, size and seed.
        for said in sorted({getattr(start, key) for start in starts} - {asked, None}, key=str):
            yield _finding(
                one,
                "fault",
                (
                    f"the experiment requested the {key} {asked}, but the program reports the "
                    f"{key} {said}"
                ),
            )


def _limits(one: CellEvidence) -> Iterator[Finding]:
    launches = [run.record.launch for run in one.completed]
    factors = one.cell.factors
    if factors.cpu_quota is not None and any(launch.nr_periods is None for launch in launches):
        yield _finding(
            one,
            "limitation",
            "it is unknown whether the kernel applied the CPU quota of the experiment",
        )
    if factors.memory_limit_bytes is not None and any(
        launch.memory_limit_method is None for launch in launches
    ):
        yield _finding(
            one,
            "limitation",
            "it is unknown whether the kernel applied the memory limit of the experiment",
        )
    if factors.page_cache != "warm":
        caches = [launch.page_cache for launch in launches]
        if any(cache is None for cache in caches):
            yield _finding(
                one,
                "limitation",
                (
                    "the experiment asks for a cold page cache, but it is unknown whether the "
                    "program's files had been removed from the page cache"
                ),
            )
        warm = max(
            (cache.resident_after / cache.asked for cache in caches if cache and cache.asked),
            default=0.0,
        )
        if warm > WARMEST_COLD_FILES:
            yield _finding(
                one,
                "fault",
                (
                    f"the experiment asks for a cold page cache, but {warm:.1%} of the bytes "
                    "of the program's files were in the page cache"
                ),
            )


def _given(one: CellEvidence) -> Iterator[Finding]:
    """Findings about the resources of an external service: the lab did not assign them."""
    factors = one.cell.factors
    declared = {
        "CPU quota": factors.cpu_quota,
        "memory limit": factors.memory_limit_bytes,
        "heap": factors.heap_bytes,
    }
    lacking = [name for name, value in declared.items() if value is not None]
    if lacking:
        text = (
            "the limits of the experiment were not applied, because runfair did not start this "
            "external service"
        )
        yield _finding(one, "fault", f"{text}: {', '.join(lacking)}")
    yield _finding(
        one,
        "limitation",
        (
            "it is unknown which processors and how much memory this external service has, "
            "because runfair did not start it"
        ),
    )


def _operations(cells: tuple[CellEvidence, ...]) -> Iterator[Finding]:
    counted = [one for one in cells if _counts(one)]
    for one in cells:
        canonical = one.cell.operations
        expected = canonical or (_counts(counted[0])[0] if counted else None)
        unequal = [counts for counts in _counts(one) if counts != expected]
        if unequal and expected is not None:
            counter = counted[0].cell.variant
            whose = "the right counts are" if canonical else f"{counter} counted"
            yield _finding(
                one,
                "fault",
                f"the program did unequal work: it counted {_list(unequal[0])}, but {whose} "
                f"{_list(expected)}",
            )
        elif canonical is None and len(counted) < 2 and one.completed:
            yield _finding(
                one,
                "limitation",
                (
                    "operations were not counted, so it is unknown whether the program did the "
                    "same work as the other programs"
                ),
            )


def _counts(one: CellEvidence) -> list[dict[str, int]]:
    return [run.record.operations for run in one.executions if run.record.operations is not None]


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))


def _finding(one: CellEvidence, severity: Severity, text: str) -> Finding:
    return Finding(
        check=NAME,
        severity=severity,
        cell=one.cell.id,
        figures=[*FIGURES],
        text=text,
        advice=""
        if severity == "limitation"
        else ("make the conditions of all compared programs equal, and measure again"),
    )
