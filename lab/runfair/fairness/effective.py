"""The settings that are in force in a program, under the names of the contract's `effective`."""

from __future__ import annotations

import re

from runfair.evidence.cell import CellEvidence
from runfair.formats.record import Scalar

# Compilers record every flag, so a flag that is missing was not given. An interpreter's report of
# its build may be incomplete: Debian removes the options from CPython's.
COMPILED_AHEAD = frozenset({"c", "c++", "go", "rust"})

_OFF = frozenset({"", "0", "none", "off", "no", "false", "debug", "disabled"})
# A program can detect that its compiler optimised, but not the level of optimisation.
_SOME_LEVEL = frozenset({"speed", "default", "release"})
_FLAGS = {
    "pgo": re.compile(r"-fprofile-(instr-)?use|-pgo=(?!off\b)\S|--enable-optimizations"),
    "lto": re.compile(r"-flto\b|--with-lto(?!=no\b)|\blto=\W*(fat|thin|true)"),
    # A compiler's record contains the processor model that it substituted for `native`.
    "native": re.compile(r"-march=(?!x86-64|armv8)\S|target-cpu=native"),
}
# HotSpot lists this flag whether it is set or not.
_GRAAL = re.compile(r"\bUseJVMCICompiler *= *(true|false)\b")
_LEVEL = re.compile(r"(?:^|\s)-O(\w*)")


def enabled(value: Scalar) -> bool:
    """Whether a reported setting means "on", in any of its spellings."""
    return _word(value) not in _OFF if isinstance(value, str) else bool(value)


def same(asked: Scalar, said: Scalar) -> bool:
    """Whether two spellings of a setting agree: `G1` and `g1-gc`, `-O3` and `3`, True and any level
    other than 0."""
    if isinstance(asked, bool) or isinstance(said, bool):
        return enabled(asked) == enabled(said)
    words = {_word(asked), _word(said)}
    if words & _SOME_LEVEL:
        return enabled(asked) == enabled(said)
    return len(words) == 1


def in_force(evidence: CellEvidence, key: str) -> Scalar | None:
    """The setting in force. This is the value that the program reports or, if the program does not
    report the setting, the value in the artefact's recorded flags. The result is None if neither
    contains the setting. A recorded flag with an optimisation level is preferred to a program's
    report that it is optimised. If executions report different values, the result contains all
    values, joined by ` / `."""
    said = sorted(
        {
            repr(start.effective[key]): start.effective[key]
            for one in evidence.completed
            if (start := one.record.start) is not None and key in start.effective
        }.items()
    )
    if len(said) > 1:
        return " / ".join(str(value) for _, value in said)
    built = _from_flags(_flags(evidence), key, evidence.cell.language)
    if not said or (built is not None and _word(said[0][1]) in _SOME_LEVEL):
        return built
    return said[0][1]


def _flags(evidence: CellEvidence) -> str:
    told = {
        str(start.effective["build_flags"])
        for one in evidence.completed
        if (start := one.record.start) is not None and "build_flags" in start.effective
    }
    return " ".join([evidence.cell.artefact.flags, *sorted(told)]).strip()


def _from_flags(flags: str, key: str, language: str) -> Scalar | None:
    if not flags:
        return None
    if key in _FLAGS:
        given = _FLAGS[key].search(flags) is not None
        return given if given or language in COMPILED_AHEAD else None
    if key == "graal":
        listed = _GRAAL.search(flags)
        return None if listed is None else listed[1] == "true"
    if key == "optimisation":
        levels: list[str] = _LEVEL.findall(flags)
        # The last -O flag takes effect. A plain -O means -O1 to every compiler that accepts it.
        return "O" + (levels[-1] or "1") if levels else None
    return None


def _word(value: Scalar) -> str:
    word = re.sub(r"[^a-z0-9]", "", str(value).lower())
    word = re.sub(r"gc$", "", word)
    return re.sub(r"^o(?=\w$)", "", word)
