"""Tests that the recorded answers are the answers that the suite's authors verify."""

from __future__ import annotations

import json
import re
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


JAVA_TYPE = re.compile(r"\b(?:class|interface|enum|record) (\w+)")
CPP_TYPE = re.compile(
    r"\b(?:class|struct) (?:\w+(?:<E>)?::)?(\w+)(?= (?:\{|final|:))|enum class (\w+)"
)
# In C++ this interface of Java is a type of std::function.
ONLY_JAVA = {"Work"}
# In Java this interface belongs to the library.
ONLY_CPP = {"Comparable"}
COMMENT = re.compile(r"/\*.*?\*/|//.*?$", re.DOTALL | re.MULTILINE)
TICK = re.compile(r"(\w+)\+\+; +// tick")
FOLDERS = {
    "java": "*.java",
    "cpp": "*.?pp",
    "javascript": "*.js",
    "python": "*.py",
    "newspeak": "*.ns",
}
CLASS = re.compile(r"^(?:export )?class (\w+)", re.MULTILINE)
# In JavaScript this class is an object.
ONLY_PYTHON = {"Counts"}
# The strengths of DeltaBlue's constraints, without case and underscores.
STRENGTHS = [
    *("absolutestrongest", "required", "strongpreferred", "preferred"),
    *("strongdefault", "default", "weakdefault", "absoluteweakest"),
]


def sources_of(folder: str) -> dict[str, str]:
    """The text of each source, by the file's name without case, underscores and hyphens."""
    files = (Path(__file__).parent / folder).glob(FOLDERS[folder])
    return {re.sub("[_-]", "", file.stem).lower(): file.read_text("utf-8") for file in files}


def test_cpp_has_the_types_of_java() -> None:
    java = {
        name
        for text in sources_of("java").values()
        for name in JAVA_TYPE.findall(COMMENT.sub("", text))
    }
    cpp = {
        name or enumeration
        for text in sources_of("cpp").values()
        for name, enumeration in CPP_TYPE.findall(COMMENT.sub("", text))
    }
    assert java - cpp == ONLY_JAVA
    assert cpp - java == ONLY_CPP


def test_cpp_counts_in_the_files_in_which_java_counts() -> None:
    """Compares the counters of all tick lines of each file."""
    java, cpp = (
        {name: sorted(TICK.findall(text)) for name, text in sources_of(folder).items()}
        for folder in ("java", "cpp")
    )
    assert any(java.values())
    assert cpp == java | {"planning": []}


def test_python_has_the_classes_of_javascript() -> None:
    python, javascript = (
        {name for text in sources_of(folder).values() for name in CLASS.findall(text)}
        for folder in ("python", "javascript")
    )
    assert python - javascript == ONLY_PYTHON
    assert javascript <= python


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_names_of_strengths_are_constants(folder: str) -> None:
    """A table of strengths makes no name: it uses what was defined once."""
    sources = sources_of(folder)
    text = sources["constraints" if folder == "newspeak" else "strength"]
    words = re.findall(r"[a-z]+", text.replace("_", "").lower())
    for strength in STRENGTHS:
        assert words.count(strength) >= 2, strength
