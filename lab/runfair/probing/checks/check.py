"""The checks in a code object, by kind.

A check is a conditional jump to a deoptimisation exit; the exit's reason says what was checked. A
check for holes may also lead elsewhere: it is then a comparison with V8's constant `the_hole_value`
and the jump that follows. A jump backwards is never a check for holes, because loops over the
tables of Map and Set skip their deleted entries with the same comparison.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from runfair.formats.checks import CheckKind
from runfair.probing.checks.listing import CodeObject, Function, Instruction

# V8's src/deoptimizer/deoptimize-reason.h. Reasons that are not listed here are no checks of a
# value (`Insufficient type feedback for call`), or their exit follows a call whose effect would be
# missing (`failed to grow elements store`). Such exits are left as they are.
KINDS: dict[str, CheckKind] = {
    "Smi": "type",
    "not a Smi": "type",
    "not a heap number": "type",
    "not a Number": "type",
    "not a Number or Boolean": "type",
    "not a Number or Oddball": "type",
    "not an array index": "type",
    "not a JavaScript object": "type",
    "not a JavaScript object, Null or Undefined": "type",
    "not a String": "type",
    "not a String or StringWrapper": "type",
    "not a Symbol": "type",
    "not a BigInt": "type",
    "not a BigInt64": "type",
    "not int32": "type",
    "not uint32": "type",
    "wrong map": "shape",
    "wrong instance type": "shape",
    "wrong call target": "shape",
    "wrong feedback cell": "shape",
    "wrong name": "shape",
    "wrong value": "shape",
    "out of bounds": "bounds",
    "hole": "hole",
    "overflow": "arithmetic",
    "lost precision": "arithmetic",
    "lost precision or NaN": "arithmetic",
    "minus zero": "arithmetic",
    "division by zero": "arithmetic",
    "NaN": "arithmetic",
}

HOLE = "(root (the_hole_value))"


@dataclass(frozen=True)
class Check:
    """A check of the code object `code`: the index of its jump among the instructions, and where
    it stands in the source. `reason` is V8's own word for it."""

    code: CodeObject
    jump: int
    kind: CheckKind
    reason: str
    function: Function
    position: int

    @property
    def leaves(self) -> bool:
        """Whether the jump is taken if the check fails (otherwise, if it succeeds)."""
        return self.kind != "hole" or self.code.instructions[self.jump].mnemonic != "jnz"


def checks_of(code: CodeObject) -> Iterator[Check]:
    """The checks of the code object, in the order of its instructions."""
    before: Instruction | None = None
    for index, jump in enumerate(code.instructions):
        target = jump.target
        if target is not None and jump.mnemonic != "jmp":
            left = code.exits.get(target)
            if left is not None and left.reason in KINDS:
                yield Check(
                    code, index, KINDS[left.reason], left.reason, left.function, left.position
                )
            elif left is None and before is not None and _for_hole(before, jump):
                position = _position(code, jump.address)
                yield Check(code, index, "hole", "hole", code.function_at(position), position)
        before = jump


def _for_hole(compare: Instruction, jump: Instruction) -> bool:
    return (
        compare.mnemonic.startswith("cmp")
        and HOLE in compare.text
        and jump.mnemonic in ("jz", "jnz")
        and jump.target is not None
        and jump.target > jump.address
    )


def _position(code: CodeObject, address: int) -> int:
    place = bisect_right(code.positions, (address, 1 << 62))
    return code.positions[place - 1][1] if place else code.root.start
