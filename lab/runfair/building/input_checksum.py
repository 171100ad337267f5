"""An input's checksum, taken anew only where the input may have changed: one of the size `paper`
has gigabytes, and every cell asks for it."""

from __future__ import annotations

import hashlib
import re
import time
from pathlib import Path

from runfair.building.content import sha256_of as sha256_of_files

REMEMBERED = re.compile(r"([0-9a-f]{64}) ([0-9a-f]{64})\n")
# What changes again within one step of the file system's clock keeps its times: so long must an
# input have lain still for its times to speak for its bytes. FAT's step, 2 s, is the longest.
STILL_NS = 2_000_000_000


def sha256_of(path: Path) -> str:
    """Of a file's bytes; of a folder, over each file's relative name, length and bytes."""
    if path.is_dir():
        return sha256_of_files(_files(path), path)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remembered_sha256_of(path: Path) -> str:
    """`sha256_of`, kept in a file beside the input, NAME.sha256, together with what the file system
    tells of the input: where that is the same, the bytes are not read."""
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
    """Digest of each file's name, size, inode and times; and the latest of these. The time of a
    file's status change is the kernel's own, which nobody sets back as `touch` does the other."""
    total, latest_ns = hashlib.sha256(), 0
    for file in _files(path):
        seen = file.stat()
        times = (seen.st_mtime_ns, seen.st_ctime_ns)
        told = (file.relative_to(path).as_posix(), seen.st_size, seen.st_ino, *times)
        total.update("\0".join(map(str, told)).encode() + b"\n")
        latest_ns = max(latest_ns, *times)
    return total.hexdigest(), latest_ns
