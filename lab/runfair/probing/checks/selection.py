"""The checks of named functions in the code of a process, and the patches that remove them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import get_args
from urllib.parse import unquote, urlsplit

from runfair.formats.checks import CheckKind, CheckPlace, CodeSummary
from runfair.probing.checks.check import Check, Patch, checks_of, removal
from runfair.probing.checks.listing import CodeObject, Function, Listing
from runfair.probing.checks.patched_process import CodeChanged, PatchedProcess

ALL_KINDS: tuple[CheckKind, ...] = get_args(CheckKind)


@dataclass(frozen=True)
class Selection:
    """The code objects that contain the named functions, and the functions' checks in them. A
    check belongs to the function in whose source it stands, also if V8 inlined the function
    elsewhere. `differing` code objects are not in memory as they were listed: V8 has freed or
    changed them, and they are left alone."""

    codes: Sequence[CodeObject]
    checks: Sequence[Check]
    differing: int

    @cached_property
    def kinds(self) -> list[CheckKind]:
        found = {check.kind for check in self.checks}
        return [kind for kind in ALL_KINDS if kind in found]

    def of_kinds(self, kinds: Collection[CheckKind]) -> list[Check]:
        return [check for check in self.checks if check.kind in kinds]

    def removal(self, kinds: Collection[CheckKind]) -> list[list[Patch]]:
        """The patches that remove all checks of these kinds, for each code object."""
        wanted = self.of_kinds(kinds)
        return [
            removal(code, [check for check in wanted if check.code is code]) for code in self.codes
        ]

    def places(self) -> list[CheckPlace]:
        """The checks by kind and place, the places with the most checks first."""
        counts = Counter((one.kind, one.function, one.position) for one in self.checks)
        return [
            CheckPlace(
                kind=kind,
                reasons=sorted(
                    {
                        one.reason
                        for one in self.checks
                        if (one.kind, one.function, one.position) == (kind, function, position)
                    }
                ),
                function=function.name,
                path=function.path,
                position=position,
                line=line,
                column=column,
                checks=count,
            )
            for (kind, function, position), count in counts.most_common()
            for line, column in [line_and_column(function, position)]
        ]

    def summaries(self, names: Collection[str]) -> list[CodeSummary]:
        return [
            CodeSummary(
                function=code.root.name,
                path=code.root.path,
                size_bytes=code.instructions[-1].end - code.instructions[0].address,
                inlined=sorted({one.name for one in code.functions[1:]} & {*names}),
                checks=sum(check.code is code for check in self.checks),
                builtins=dict(code.builtins.most_common()),
            )
            for code in self.codes
        ]


def containing(listing: Listing, names: Collection[str]) -> list[CodeObject]:
    """The code objects in use that contain any of the functions."""
    return [code for code in listing.in_use() if any(one.name in names for one in code.functions)]


def select(process: PatchedProcess, names: Collection[str]) -> Selection:
    """The checks of the functions in all code that the process holds exactly as listed."""
    listed = containing(process.listing, names)
    codes = [code for code in listed if holds(process, code)]
    checks = [check for code in codes for check in checks_of(code) if check.function.name in names]
    return Selection(codes, checks, differing=len(listed) - len(codes))


def holds(process: PatchedProcess, code: CodeObject) -> bool:
    """Whether the process's memory holds the code object byte for byte. Annotated instructions are
    not compared, because the garbage collector updates their operands."""
    runs = list(_unannotated(code))
    try:
        found = process.read([(address, len(listed)) for address, listed in runs])
    except CodeChanged:
        return False
    return found == [listed for _, listed in runs]


def size_compared(codes: Sequence[CodeObject]) -> int:
    """The number of bytes that `holds` compares."""
    return sum(len(listed) for code in codes for _, listed in _unannotated(code))


def _unannotated(code: CodeObject) -> Iterator[tuple[int, bytes]]:
    """Runs of instructions that are not annotated: the address and the bytes of each run."""
    begin, listed = -1, b""
    for one in code.instructions:
        if one.annotated or one.address != begin + len(listed):
            if listed:
                yield begin, listed
            begin, listed = one.address, b""
        if one.annotated:
            begin = -1
            continue
        listed += one.code
    if listed:
        yield begin, listed


UTF_16_BYTES = 2  # V8's positions count UTF-16 units from the script's begin


def line_and_column(function: Function, position: int) -> tuple[int | None, int | None]:
    """The line and the column of a position, both from 1. (None, None) if the script's file is
    missing, or does not contain the function's text where V8 says it is."""
    script = _script(function.path)
    begin = UTF_16_BYTES * function.start
    if script is None or not script.startswith(function.text.encode("utf-16-le"), begin):
        return None, None
    before = script[: UTF_16_BYTES * position].decode("utf-16-le", "replace")
    line_start = before.rfind("\n") + 1
    return before.count("\n") + 1, len(before) - line_start + 1


@lru_cache(maxsize=64)
def _script(path: str) -> bytes | None:
    """The script in UTF-16; None if it is not a readable file."""
    file = unquote(urlsplit(path).path) if path.startswith("file://") else path
    try:
        return Path(file).read_bytes().decode("utf-8").encode("utf-16-le")
    except (OSError, ValueError):
        return None
