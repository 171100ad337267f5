"""An invented cost of V8's checks."""

from __future__ import annotations

from runfair.formats.checks import (
    CheckPlace,
    ChecksResult,
    CodeSummary,
    NegativeControl,
    RemovalCost,
)
from runfair.formats.estimate import Estimate

CHECKS = ChecksResult(
    command=["node", "sudoku.js"],
    runtime="node",
    version="20.20.2",
    functions=["solve", "fits"],
    rounds=40,
    iterations_each=3,
    cpu_ns=9e6,
    restored_bytes=4_532,
    differing=0,
    codes=[
        CodeSummary(
            function="solve",
            path="/one/solver.js",
            size_bytes=900,
            inlined=["fits"],
            checks=6,
            builtins={"StringEqual": 2},
        )
    ],
    places=[
        CheckPlace(
            kind="bounds",
            reasons=["out of bounds"],
            function="fits",
            path="/one/solver.js",
            position=10,
            line=42,
            column=15,
            checks=6,
        )
    ],
    costs=[
        RemovalCost(removed="bounds", checks=6, saved=Estimate(value=0.189, low=0.143, high=0.233)),
        RemovalCost(removed="all", checks=6, saved=None),
        RemovalCost(removed="nothing", checks=0, saved=Estimate(value=0.0, low=-0.01, high=0.01)),
    ],
    control=NegativeControl(
        without_check="12345", with_check="undefined", deoptimised_for="out of bounds"
    ),
)
