"""Recorded listings are read completely; whatever differs from them is refused in one line."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probing.checks.recordings import (
    VERSIONS,
    bailout,
    code_of,
    compiled,
    each_version,
    listing_of,
    text_of,
)
from runfair.probing.checks.listing import Listing, NotUnderstood


@each_version
def test_a_code_object_with_its_inlined_function(version: str) -> None:
    code = code_of(version)
    assert code.root.name == "sum"
    assert [one.name for one in code.functions] == ["sum", "element"]
    assert {one.function.name for one in code.exits.values()} == {"sum", "element"}
    size = code.instructions[-1].end - code.instructions[0].address
    assert f"Instructions (size = {size})" in text_of(version)
    assert sum(one.annotated and one.mnemonic == "movq" for one in code.instructions) > 2


@each_version
def test_calls_of_built_in_functions_are_counted(version: str) -> None:
    """The listing was recorded with three calls of C++ by this function."""
    assert code_of(version).builtins == {"CEntry_Return1_ArgvOnStack_NoBuiltinExit": 3}
    again = text_of(version).replace("CEntry_Return1_ArgvOnStack_NoBuiltinExit", "LessThan", 1)
    (code,) = listing_of(again).code_objects
    assert code.builtins["LessThan"] == 1


@pytest.mark.parametrize(
    ("damage", "replacement", "problem"),
    [
        (r"\(size = \d+\)", "(size = 8)", "a code object has 8 bytes, but its listing has"),
        (
            r"id\{0,-1\}",
            "id{7,-1}",
            "for the compiled code 0, V8 printed no source with the inlining id -1",
        ),
        (
            r" AS 0 AT",
            " AS 3 AT",
            "for the compiled code 0, V8 printed no source with the inlining id 0",
        ),
        (r"optimization_id = 0\n", "", "a code object has no optimization_id"),
        (r"push rbp\n", "push rbp\nand so on\n", "line 'and so on'"),
        (
            r"0x[0-9a-f]+ +[0-9a-f]+  55 .*\n",
            "",
            "does not begin where the previous instruction ends",
        ),
        (r"script offset '", "script place '", "lacks its position or its reason"),
        (r"id\{0,-1\} start", "id(0,-1) start", "line '--- FUNCTION SOURCE"),
    ],
)
def test_another_form_is_refused(damage: str, replacement: str, problem: str) -> None:
    text, changes = re.subn(damage, replacement, text_of("node-20"), count=1)
    assert changes == 1
    with pytest.raises(NotUnderstood, match=re.escape(problem)):
        listing_of(text)


def test_two_threads_that_compile_are_refused() -> None:
    with pytest.raises(NotUnderstood, match="two threads compiled"):
        listing_of(2 * text_of("node-20"))


def test_code_of_another_compiler_is_left_out() -> None:
    text = text_of("node-26").replace("kind = TURBOFAN_JS", "kind = MAGLEV")
    assert listing_of(text).code_objects == []


@settings(max_examples=40)
@given(st.sampled_from(VERSIONS), st.data())
def test_a_listing_can_be_read_while_it_is_written(version: str, data: st.DataObject) -> None:
    text = text_of(version)
    place = data.draw(st.integers(0, len(text)))
    listing = Listing()
    listing.feed(text[:place])
    listing.feed(text[place:])
    assert listing.code_objects == listing_of(text).code_objects


@settings(max_examples=40)
@given(st.sampled_from(VERSIONS), st.data())
def test_a_damaged_listing_never_ends_in_a_traceback(version: str, data: st.DataObject) -> None:
    """Cut short, or with a line taken out, or with characters replaced."""
    text = text_of(version)
    begin, end = sorted(data.draw(st.tuples(*2 * [st.integers(0, len(text))])))
    filling = data.draw(st.sampled_from(["", "\n", "0", "--- Optimized code ---\n", "\ufffd"]))
    damaged = data.draw(
        st.sampled_from([text[:begin], text[begin:], text[:begin] + filling + text[end:]])
    )
    listing = Listing()
    try:
        listing.feed(damaged)
    except NotUnderstood as error:
        assert "\n" not in str(error)
    assert len(listing.code_objects) <= 1


def test_code_is_out_of_use_when_it_was_left_and_compiled_again() -> None:
    listing = listing_of(compiled(0) + bailout(0))
    assert [one.id for one in listing.in_use()] == [0]
    assert listing.bailouts(listing.code_objects[0]) == ["out of bounds"]
    listing.feed(compiled(1))
    assert [one.id for one in listing.in_use()] == [1]
    listing.feed(bailout(0))  # it still runs, for example in a loop that was never left
    assert [one.id for one in listing.in_use()] == [0, 1]
