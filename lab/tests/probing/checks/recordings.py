"""Listings that V8 printed of `recorded/sum.cjs`, in which a function was inlined."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.probing.checks.listing import CodeObject, Listing

RECORDED = Path(__file__).with_name("recorded")
VERSIONS = ("node-20", "node-26")

each_version = pytest.mark.parametrize("version", VERSIONS)


def text_of(version: str) -> str:
    """The listing, as if it had just been printed of the program in this repository."""
    text = (RECORDED / f"{version}.txt").read_text(encoding="utf-8")
    return text.replace("/recorded", str(RECORDED))


def listing_of(text: str) -> Listing:
    listing = Listing()
    listing.feed(text)
    return listing


def code_of(version: str) -> CodeObject:
    (code,) = listing_of(text_of(version)).code_objects
    return code


def bailout(number: int) -> str:
    """The line that V8 prints when it leaves the code object with this id."""
    return (
        "[bailout (kind: deopt-eager, reason: out of bounds): begin. deoptimizing 0x1 <JSFunction"
        f" sum (sfi = 0x2)>, 0x3 <Code TURBOFAN>, opt id {number}, bytecode offset 2]\n"
    )


def compiled(number: int) -> str:
    """The recorded code object, as the compilation with this id."""
    text = text_of("node-20").replace("id{0,", f"id{{{number},")
    return text.replace("optimization_id = 0", f"optimization_id = {number}")
