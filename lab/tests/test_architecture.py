"""Imports run one way: each room only from those that docs/architecture.md names for it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import runfair
from runfair.paths import REPOSITORY

LAB = Path(runfair.__file__).parent
ANYWHERE = {"errors", "paths"}  # modules of no room
MOST_LINES = 400
ROW = re.compile(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", re.MULTILINE)


def rooms() -> dict[str, set[str]]:
    """Room → the rooms it may import from, read from the page."""
    page = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {room: set(re.findall(r"\w+", allowed)) for room, allowed in ROW.findall(page)}
    return {
        room: set(named) if "everything" in allowed else allowed & set(named)
        for room, allowed in named.items()
    }


def imported_rooms(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [
        name
        for node in ast.walk(tree)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    ]
    return {module.split(".")[1] for module in modules if module.startswith("runfair.")}


def test_the_page_names_every_room() -> None:
    assert set(rooms()) == {path.parent.name for path in LAB.glob("*/__init__.py")}


@pytest.mark.parametrize("room", sorted(rooms()))
def test_imports_run_one_way(room: str) -> None:
    allowed = rooms()[room] | {room} | ANYWHERE
    for path in (LAB / room).rglob("*.py"):
        astray = imported_rooms(path) - allowed
        assert not astray, f"{path.relative_to(LAB)} imports from {', '.join(sorted(astray))}"


def test_no_module_is_long() -> None:
    lengths = {
        str(path.relative_to(LAB)): len(path.read_text(encoding="utf-8").splitlines())
        for path in LAB.rglob("*.py")
    }
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_the_rooms_have_no_cycle() -> None:
    left = {room: allowed - {room} for room, allowed in rooms().items()}
    while left:
        bottom = {room for room, allowed in left.items() if not allowed & set(left)}
        assert bottom, f"these rooms import each other in a circle: {sorted(left)}"
        left = {room: allowed for room, allowed in left.items() if room not in bottom}


def test_the_command_line_alone_imports_the_report() -> None:
    """Evidence, verdicts and results are read without it."""
    importing = {
        path.relative_to(LAB).parts[0]
        for path in LAB.rglob("*.py")
        if "report" in imported_rooms(path)
    }
    assert importing - {"report"} == {"cli"}
