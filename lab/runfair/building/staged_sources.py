"""Staged sources: a copy of a program's sources for a build. A copy for counting has ticks, a copy
for timing has none.

The copy lies in a separate folder that has the same tree as `benchmarks`, so every recipe works
there as in the repository.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from posixpath import normpath

from runfair.building.build_folder import made
from runfair.building.checksum import files_of
from runfair.building.failure import BuildFailed
from runfair.building.template import Values, filled_glob
from runfair.building.ticks import SUFFIXES, blanked
from runfair.catalogue.program import FILE_NAME as MUTANTS
from runfair.catalogue.program import Edit, ProgramSource
from runfair.paths import private_folder


def staged(
    program: ProgramSource,
    patterns: Sequence[str],
    values: Values,
    *,
    counted: bool,
    edits: Sequence[Edit] = (),
) -> ProgramSource:
    """The program, with its folder and root in the staged tree. The tree is created at first use.

    `patterns` are the globs of the sources that the program's recipes name. `edits` make a mutant.
    Raises BuildFailed if a tick is invalid, or if an edit does not fit.
    """
    content = _content(program, patterns, values)
    for edit in edits:
        _apply(edit, content, program)
    timed = {name: _timed(name, text) for name, text in content.items()}
    if not counted:
        content = timed
    key = hashlib.sha256()
    for name in sorted(content):
        key.update(f"{name}\0{len(content[name])}\0".encode() + content[name])
    folder = private_folder() / "sources" / program.language / program.name
    root = made(folder / key.hexdigest()[:16], lambda staging: _write(staging, content))
    return replace(program, folder=root / program.package, root=root)


def _content(program: ProgramSource, patterns: Sequence[str], values: Values) -> dict[str, bytes]:
    """The bytes of each file, by the file's path below the root."""
    root = program.root.resolve()
    found: dict[str, bytes] = {}
    for path in files_of(filled_glob(pattern, values) for pattern in patterns):
        real = path.resolve()
        if path.name != MUTANTS and real.is_relative_to(root):
            found[real.relative_to(root).as_posix()] = path.read_bytes()
    return found


def _apply(edit: Edit, content: dict[str, bytes], program: ProgramSource) -> None:
    name = normpath(f"{program.package}/{edit.file}")
    # The benchmark's own folder: tiers share sources, but no mutant changes the harness.
    within = name.split("/")[:2] == program.package.split("/")[:2]
    text = content.get(name, b"").decode() if within else ""
    if text.count(edit.old) != 1:
        raise BuildFailed(
            f"{program.folder / MUTANTS}: an edit replaces the text {edit.old!r}, which must "
            f"occur exactly once in {edit.file}, but it occurs {text.count(edit.old)} times; "
            "correct the edit"
        )
    content[name] = text.replace(edit.old, edit.new).encode()


@cache
def _timed(name: str, content: bytes) -> bytes:
    """The content without ticks, remembered, because most builds have the same harness."""
    if not name.endswith(SUFFIXES):
        return content
    return blanked(content.decode(), name).encode()


def _write(staging: Path, content: Mapping[str, bytes]) -> None:
    for name, text in content.items():
        path = staging / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
