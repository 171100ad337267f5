"""A comparison that shows that tick lines do not slow down the timed programs.

Each timed program is compared with the same source after its tick lines were deleted. In Rust the
calls of the counter are deleted too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from checking.pairs import Contest, cell_of, contested
from checking.step import Step
from runfair.building.artefact import build
from runfair.building.ticks import SUFFIXES
from runfair.catalogue.benchmark import STANDARD, Benchmark
from runfair.catalogue.program import Edit, ProgramSource
from runfair.formats.variant import Variant

BOUND = 1.03
TICK = re.compile(
    r"^.*(?:(?://|#|%) tick|\(\* tick \*\)|\bcounter\.tick(?:_each)?\(.*\);)$\n", re.MULTILINE
)


def ticks_cost_nothing() -> Iterator[Step]:
    yield from contested("blanked ticks cost nothing", _contests, BOUND)


def deletions(program: ProgramSource) -> list[Edit]:
    """The edits that delete the tick lines from the program's own files."""
    edits = []
    for path in sorted(program.folder.rglob("*")):
        if path.suffix in (*SUFFIXES, ".rs") and path.is_file():
            text = path.read_text(encoding="utf-8")
            without = TICK.sub("", text)
            if without != text:
                name = path.relative_to(program.folder).as_posix()
                edits.append(Edit(file=name, old=text, new=without))
    return edits


def _contests(benchmark: Benchmark, variant: Variant) -> Iterator[Contest]:
    timed = cell_of(benchmark, variant, STANDARD)
    program = benchmark.program(variant.language, STANDARD)
    if timed is None or program is None or not (edits := deletions(program)):
        return
    without = build(variant, program, edits=edits)
    name = f"{benchmark.name} {variant.name}"
    bare = timed.model_copy(update={"id": f"{timed.id} without ticks", "artefact": without})
    yield Contest(name, timed, bare)
