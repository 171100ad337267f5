"""The places of selected checks are lines and columns of the source."""

from __future__ import annotations

from probing.checks.recordings import code_of, each_version, listing_of, text_of
from runfair.probing.checks.selection import line_and_column


@each_version
def test_positions_are_those_of_the_source(version: str) -> None:
    code = code_of(version)
    found = {
        (one.function.name, one.reason, *line_and_column(one.function, one.position))
        for one in code.exits.values()
    }
    assert ("element", "out of bounds", 5, 18) in found
    assert ("sum", "overflow", 11, 14) in found


def test_a_position_is_unknown_if_the_file_differs() -> None:
    (code,) = listing_of(text_of("node-20").replace("let total", "let TOTAL")).code_objects
    left = {one.function.name: one for one in code.exits.values()}
    assert line_and_column(left["sum"].function, left["sum"].position) == (None, None)
    assert line_and_column(left["element"].function, left["element"].position) == (5, 18)
