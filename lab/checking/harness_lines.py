"""The number of formatted lines of each harness, as a table of the document that describes how a
language is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checking.sources import sources
from runfair.building.ticks import SUFFIXES
from runfair.paths import BENCHMARKS, REPOSITORY

HARNESS = BENCHMARKS / "harness"
PAGE = REPOSITORY / "docs" / "adding-a-runtime.md"
SERVICES = "services"  # code that only services need
MOST_LINES = 300
HEAD = "| language | lines of the harness | lines of the recorder |\n|---|---:|---:|\n"
_NAMES = {"cpp": "C++", "javascript": "JavaScript"}
_RECORDER = re.compile(r"recorder\.", re.IGNORECASE)
# The language's own tests, and the observer that counts the executions of source lines.
_LEFT_OUT = re.compile(r"test|lines\.py", re.IGNORECASE)


@dataclass(frozen=True)
class HarnessSize:
    """Numbers of lines. `own` includes the program `vectors`."""

    language: str
    own: int
    recorder: int

    @property
    def row(self) -> str:
        return f"| {self.language} | {self.own} | {self.recorder} |\n"


def size_of(folder: Path) -> HarnessSize:
    """The size of the harness in this folder."""
    own = recorder = 0
    for path in sources(*(f"*{suffix}" for suffix in SUFFIXES), root=folder):
        name = path.relative_to(folder).as_posix()
        if _LEFT_OUT.search(name):
            continue
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if _RECORDER.search(name):
            recorder += lines
        else:
            own += lines
    return HarnessSize(_NAMES.get(folder.name, folder.name.capitalize()), own, recorder)


def harness_sizes(root: Path = HARNESS) -> list[HarnessSize]:
    """The sizes of all harnesses, in the order of the languages' names."""
    folders = [path for path in root.iterdir() if path.is_dir() and path.name != SERVICES]
    return sorted(map(size_of, folders), key=lambda size: size.language.lower())


def too_large(sizes: list[HarnessSize]) -> Iterator[str]:
    """The harnesses with more lines than the contract allows."""
    for size in sizes:
        if size.own > MOST_LINES:
            yield f"the harness of {size.language} has {size.own} lines; at most {MOST_LINES}"


def table(sizes: list[HarnessSize]) -> str:
    return HEAD + "".join(size.row for size in sizes)


def updated(page: str, sizes: list[HarnessSize]) -> str:
    """The page with the present table in place of its table."""
    before, _, after = page.partition(HEAD)
    rest = re.sub(r"\A(?:\|.*\n)*", "", after)
    return before + table(sizes) + rest


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), harness_sizes()), encoding="utf-8")
