"""The virtual functions of a class, as an executable has them."""

from __future__ import annotations

import re
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

SECTION = re.compile(r"\[ *\d+\] \S+ +\S+ +([0-9a-f]{16}) ([0-9a-f]+) ([0-9a-f]+)")
POINTER_BYTES = 8
FIRST = 2  # before the functions stand an offset and the type


def output(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def name_of(symbol: str) -> str:
    """The function's name alone; `~` for a destructor."""
    name = symbol.partition("(")[0].rpartition("::")[2]
    return "~" if name.startswith("~") else name


def virtual_functions(executable: Path, classes: Sequence[str]) -> dict[str, list[str]]:
    """The functions' names in the order of the classes' tables."""
    tables: dict[str, tuple[int, int]] = {}
    names: dict[int, str] = {}
    for line in output("nm", "-C", "-S", executable).splitlines():
        words = line.split(" ", 3)
        if len(words) < 4 or "inspector::" not in words[3]:
            continue
        names[int(words[0], 16)] = name_of(words[3])
        if words[3].startswith("vtable for "):
            tables[words[3].removeprefix("vtable for ")] = (int(words[0], 16), int(words[1], 16))
    sections = [
        [int(word, 16) for word in found.groups()]
        for found in map(SECTION.search, output("readelf", "-SW", executable).splitlines())
        if found
    ]
    functions = {}
    with executable.open("rb") as file:
        for each in classes:
            address, size = tables[each]
            for start, offset, length in sections:
                if start and start <= address < start + length:
                    file.seek(offset + address - start)
                    pointers = struct.unpack(f"<{size // POINTER_BYTES}Q", file.read(size))
                    functions[each] = [names.get(one, "") for one in pointers[FIRST:]]
    return functions
