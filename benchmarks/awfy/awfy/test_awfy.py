"""Tests that the recorded answers are the answers that the suite's authors verify."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runfair.catalogue.benchmark import benchmarks
from transcription import fnv1a

REPEATED = {
    "bounce": 1331,
    "json": 156,
    "list": 10,
    "permute": 8660,
    "queens": 10,
    "richards": 232469297,
    "sieve": 669,
    "storage": 5461,
    "towers": 8191,
}
HAVLAK_BLOCKS = 5213
HAVLAK_LOOPS = {1: 1605, 15: 1647, 150: 2052, 1500: 6102}
# Of the suite's port to Newspeak, which has one tree with one loop where the others have ten.
SMALL_HAVLAK = {50: 168_0056}


def verified_by_deltablue(size: int) -> int:
    """The suite's assertions: what arrives at the end of the chain, then all images of a scale."""
    images = sum((5 * i + 1000) + (5 * i + 2000) for i in range(1, size))
    return sum(range(100)) + 1170 + 5 + images


SIZED = {
    "cd": {2: 42, 100: 4305, 250: 10830},
    "deltablue": {size: verified_by_deltablue(size) for size in (20, 1000, 2400, 12_000)},
    "havlak": {inner: n * 10_000 + HAVLAK_BLOCKS for inner, n in HAVLAK_LOOPS.items()},
    "mandelbrot": {500: 191},
    "nbody": {250_000: -1690859889909308},
}
ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text("utf-8"))["answers"]


@pytest.mark.parametrize("form", benchmarks()["awfy-bounce"].text.forms)
def test_answers_are_the_suites(form: str) -> None:
    """Forms that repeat their work are tested at every size, other forms only at the suite's own
    size."""
    checked = 0
    for answer in (one for one in ANSWERS if one["form"] == form):
        parameters = benchmarks()[f"awfy-{form}"].parameters(answer["size"])
        inner = int(parameters["inner"])
        known = inner * REPEATED[form] if form in REPEATED else SIZED[form].get(inner)
        if form == "havlak" and parameters["parallel"] != 10:
            known = SMALL_HAVLAK.get(inner) if parameters["parallel"] == 1 else None
        if known is not None:
            assert answer["digest"] == fnv1a(str(known).encode())
            checked += 1
    assert checked >= 1
