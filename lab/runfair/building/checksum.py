"""Checksums of the files that a build, an input or a plan depends on."""

from __future__ import annotations

import glob
import hashlib
import re
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from runfair.formats.variant import Artefact

# Folders and files that the tools of languages create beside sources. They are never part of a
# program.
MADE_BY_TOOLS = frozenset({"__pycache__", "target", "node_modules"})
_MAGIC = re.compile(r"[*?[]")
_ESCAPED = re.compile(r"\[[*?[]\]")  # a single character, by `glob.escape`


def files_of(patterns: Iterable[str]) -> list[Path]:
    """The files that match the globs, sorted, without files that tools created below the folders
    that the globs name. The repository itself may lie in a folder with such a name."""
    found: set[Path] = set()
    for pattern in patterns:
        literal, _, _ = _MAGIC.split(_ESCAPED.sub("-", pattern), maxsplit=1)[0].rpartition("/")
        named = len(Path(literal or "/").parts)
        names = glob.glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
        found.update(
            path
            for path in map(Path, names)
            if path.is_file() and MADE_BY_TOOLS.isdisjoint(path.parts[named:])
        )
    return sorted(found)


def sha256_of_files(files: Sequence[Path], relative_to: Path) -> str:
    """The SHA-256 over each file's relative name, length and bytes, in the given order. A file
    outside the folder (for example a user's own runtime) is included with its bare name."""
    total = hashlib.sha256()
    for file in files:
        content = file.read_bytes()
        inside = file.is_relative_to(relative_to)
        name = file.relative_to(relative_to).as_posix() if inside else file.name
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


REMEMBERED = re.compile(r"([0-9a-f]{64}) ([0-9a-f]{64})\n")
# If a file is changed twice within one step of the file system's clock, its times are the same. The
# times therefore identify the content only if the file has been unchanged for longer than a step.
# FAT has the longest step, 2 s.
STILL_NS = 2_000_000_000


def sha256_of(path: Path) -> str:
    """The digest of a file's bytes or, for a folder, the digest over each file's relative name,
    length and bytes."""
    if path.is_dir():
        return sha256_of_files(_files(path), path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remembered_sha256_of(path: Path) -> str:
    """The result of `sha256_of` for an input. The checksum is cached, because inputs may have
    gigabytes and every cell needs the checksum. The file NAME.sha256 beside the input stores the
    checksum with the input's sizes and times. While the input's sizes and times are unchanged, the
    bytes are not read."""
    beside = path.with_name(f"{path.name}.sha256")
    state, changed_ns = _state(path)
    known = REMEMBERED.fullmatch(beside.read_text("ascii", "replace")) if beside.exists() else None
    if known is not None and known[1] == state:
        return known[2]
    still = time.time_ns() - changed_ns > STILL_NS
    sha256 = sha256_of(path)
    if still:
        beside.write_text(f"{state} {sha256}\n", "ascii")
    return sha256


def _files(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _state(path: Path) -> tuple[str, int]:
    """The digest of each file's name, size, inode and times, and the latest of the times. The
    kernel itself sets the time of a status change. A user cannot set it back, while `touch` can set
    the modification time."""
    total, latest_ns = hashlib.sha256(), 0
    for file in _files(path):
        seen = file.stat()
        times = (seen.st_mtime_ns, seen.st_ctime_ns)
        told = (file.relative_to(path).as_posix(), seen.st_size, seen.st_ino, *times)
        total.update("\0".join(map(str, told)).encode() + b"\n")
        latest_ns = max(latest_ns, *times)
    return total.hexdigest(), latest_ns


def fingerprint(artefact: Artefact, inputs: Sequence[str]) -> str:
    """The SHA-256 over the contents of the artefact's files and inputs, and over the size and
    modification time of the executable. (The executable may be large and is always replaced as a
    whole.) The fingerprint shows whether something changed since the plan was made."""
    total = hashlib.sha256()
    for name in (*artefact.files, *inputs):
        total.update(f"{name}\0{_identity(Path(name))}\0".encode())
    executable = Path(artefact.command[0])
    if executable.is_absolute():
        seen = executable.stat()
        total.update(f"{seen.st_size} {seen.st_mtime_ns}".encode())
    return total.hexdigest()


def _identity(path: Path) -> str:
    """The checksum of a file. For a folder it is a digest of the names, sizes and modification
    times of its files, because a folder may have gigabytes and is checked before every execution.
    """
    if not path.is_dir():
        seen = path.stat()
        if time.time_ns() - max(seen.st_mtime_ns, seen.st_ctime_ns) <= STILL_NS:
            return sha256_of(path)
        times = (seen.st_mtime_ns, seen.st_ctime_ns)
        return _sha256_of_still(path, seen.st_dev, seen.st_ino, seen.st_size, *times)
    files = [(file.relative_to(path), file.stat()) for file in _files(path)]
    return "\n".join(f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in files)


@cache
def _sha256_of_still(path: Path, *_state: int) -> str:
    """The checksum of a file in this state, remembered, because a plan checks the files of a
    program before each of its executions."""
    return sha256_of(path)
