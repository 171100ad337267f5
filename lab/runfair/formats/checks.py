"""The checks in optimised code, and what each kind of check costs: the result of
`./runfair probe --checks`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.estimate import Estimate
from runfair.formats.record import Record

# type: is the value a small integer, a number, a string, an object? shape: has the object the
# expected map (V8's word for a hidden class)? bounds: is the index within the array? hole: is the
# element there at all? arithmetic: overflow, lost precision, minus zero, division by zero.
CheckKind = Literal["type", "shape", "bounds", "hole", "arithmetic"]
Count = Annotated[int, Field(ge=0)]


class CheckPlace(Record):
    """The checks of one kind at one place in the source. `line` and `column` count from 1 and are
    None if the source file is not at hand; `position` is in UTF-16 units from the script's begin.
    `reasons` are V8's own words."""

    kind: CheckKind
    reasons: list[str]
    function: str
    path: str
    position: Count
    line: int | None
    column: int | None
    checks: Count


class CodeSummary(Record):
    """A piece of optimised code that contains checks of the named functions. `function` is the
    function that was compiled; `inlined` are the named functions that were inlined into it.
    `builtins` are the calls of V8's built-in functions in the code, by V8's own names."""

    function: str
    path: str
    size_bytes: Count
    inlined: list[str]
    checks: Count
    builtins: dict[str, Count] = {}


class RemovalCost(Record):
    """What a removal saves. `removed`: a kind; `all` kinds together; or `nothing`, which writes the
    same places with the bytes that they already contain. `checks` is the number of removed checks.
    `saved` is the share of the CPU time that is saved, with its 95% confidence interval; None if
    the rounds are too few to tell."""

    removed: CheckKind | Literal["all", "nothing"]
    checks: Count
    saved: Estimate | None


class NegativeControl(Record):
    """A read past the end of an array, in a small program on the same runtime: what it returned
    when its bounds check was removed (what lies behind the array), and why V8 deoptimised it when
    the check was there again."""

    without_check: str
    with_check: str
    deoptimised_for: str


class ChecksResult(Record):
    """The result of `./runfair probe --checks`. `cpu_ns` is the mean CPU time of an iteration with
    all checks. `restored_bytes` is the number of bytes of optimised code that were compared with
    the listing at the end, all of them equal. `differing` is the number of listed pieces of code
    that were left alone, because memory no longer held them. Effects of kinds do not add up. They
    are lower bounds of the cost of a check, because the loads for its comparison remain."""

    schema_version: Literal[1] = 1
    command: list[str]
    runtime: str
    version: str
    functions: list[str]
    rounds: Count
    iterations_each: Count
    cpu_ns: float
    restored_bytes: Count
    differing: Count
    codes: list[CodeSummary]
    places: list[CheckPlace]
    costs: list[RemovalCost]
    control: NegativeControl
