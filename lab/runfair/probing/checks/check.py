"""The checks in a code object, by kind, and what to write over them so that the code goes on
without them.

A check is a conditional jump to a deoptimisation exit; the exit's reason says what was checked. A
check for holes may also lead elsewhere: it is then a comparison with V8's constant `the_hole_value`
and the jump that follows. A jump backwards is never a check for holes, because loops over the
tables of Map and Set skip their deleted entries with the same comparison.

A check's jump becomes a NOP, and so does the comparison before it if nothing else reads its flags.
Annotated instructions (`;; object:`) are never overwritten, because the garbage collector reads and
writes their operands. The loads for the comparison remain.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
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


# Intel's Software Developer's Manual, volume 2, NOP: the recommended sequences, by length.
NOPS = (
    bytes.fromhex("90"),
    bytes.fromhex("6690"),
    bytes.fromhex("0f1f00"),
    bytes.fromhex("0f1f4000"),
    bytes.fromhex("0f1f440000"),
    bytes.fromhex("660f1f440000"),
    bytes.fromhex("0f1f8000000000"),
    bytes.fromhex("0f1f840000000000"),
    bytes.fromhex("660f1f840000000000"),
)

_COMPARES = re.compile(r"(?:cmp|test)[bwlq]?|v?u?comis[sd]")
# The beginnings of instructions that write all flags that a jump may read, and of those that leave
# all flags as they are.
_WRITES_FLAGS = re.compile(
    r"(?:(?:cmp|test|add|sub|and|or|xor|neg|imul)[bwlq]?|v?u?comis[sd]|call|ret)\b"
    r"|(?:sar|shr|shl)[lq] \w+, ?[1-9]"
)
_KEEPS_FLAGS = re.compile(r"(?:v?mov\w*|lea[lq]|push|pop|nop|v?cvt\w+|not[lq]|vround\w+)\b")


@dataclass(frozen=True)
class Patch:
    """Bytes to replace at an address. `old` is what the listing says is there."""

    address: int
    old: bytes
    new: bytes


def removal(code: CodeObject, checks: Collection[Check]) -> list[Patch]:
    """The patches that remove these checks from the code object, by address."""
    dead: set[int] = set()
    jumps: dict[int, bytes] = {}
    for check in checks:
        if check.leaves:
            dead.add(check.jump)
        elif _one_step_ahead(code, check.jump):
            dead.update((check.jump, check.jump + 1))
        else:
            jumps[check.jump] = always(code.instructions[check.jump])
    gone = dead | set(jumps)
    comparisons = {
        compare
        for check in checks
        if (compare := _compare(code, check.jump, gone)) is not None
        and _flags_unread(code, compare, dead, jumps)
    }
    dead |= comparisons
    targets = {one.target for one in code.instructions if one.target is not None}
    patches = [
        Patch((one := code.instructions[index]).address, one.code, new)
        for index, new in jumps.items()
    ]
    patches += [
        _blank(run) for run in _runs([code.instructions[at] for at in sorted(dead)], targets)
    ]
    return sorted(patches, key=lambda patch: patch.address)


def inverse(patches: Sequence[Patch]) -> list[Patch]:
    """The patches that restore the old bytes."""
    return [Patch(one.address, one.new, one.old) for one in patches]


def unchanged(patches: Sequence[Patch]) -> list[Patch]:
    """Patches of the same places that write the bytes that are there."""
    return [Patch(one.address, one.old, one.old) for one in patches]


def nops(length: int) -> bytes:
    """As few NOPs as fill the length."""
    whole, rest = divmod(length, len(NOPS))
    return NOPS[-1] * whole + (NOPS[rest - 1] if rest else b"")


def always(jump: Instruction) -> bytes:
    """The conditional jump as a jump that is always taken, of the same length."""
    if len(jump.code) == 2:
        return b"\xeb" + jump.code[1:]
    distance = int.from_bytes(jump.code[2:], "little", signed=True) + 1
    return b"\xe9" + distance.to_bytes(4, "little", signed=True) + b"\x90"


def _one_step_ahead(code: CodeObject, jump: int) -> bool:
    """Whether the jump skips a single plain move, to which nothing else leads."""
    at = code.instructions[jump]
    after = code.instructions[jump + 1] if jump + 1 < len(code.instructions) else at
    return (
        after.end == at.target
        and after.mnemonic.startswith("mov")
        and not after.annotated
        and all(one.target != after.address for one in code.instructions)
    )


def _compare(code: CodeObject, jump: int, gone: Collection[int]) -> int | None:
    """The index of the comparison whose result the jump reads; None if it computes more than
    flags, or must not be overwritten."""
    index = jump - 1
    while index in gone:
        index -= 1
    if index < 0:
        return None
    found = code.instructions[index]
    if found.annotated or not _COMPARES.fullmatch(found.mnemonic):
        return None
    return index


def _flags_unread(
    code: CodeObject, compare: int, dead: Collection[int], jumps: Collection[int]
) -> bool:
    """Whether no instruction reads the comparison's flags when those in `dead` are NOPs and those
    in `jumps` are always taken. Code that cannot be followed counts as a reader."""
    index = compare + 1
    for _ in code.instructions:
        if index in jumps or code.instructions[index].mnemonic == "jmp":
            target = code.instructions[index].target
            index = code.index.get(target, -1) if target is not None else -1
        else:
            text = code.instructions[index].text.removeprefix("REX.W ")
            if index not in dead:
                if _WRITES_FLAGS.match(text):
                    return True
                if not _KEEPS_FLAGS.match(text):
                    return False
            index += 1
        if not 0 <= index < len(code.instructions):
            return False
    return False


def _runs(instructions: Sequence[Instruction], targets: Collection[int]) -> list[list[Instruction]]:
    """Instructions that follow one another, cut where a jump leads."""
    runs: list[list[Instruction]] = []
    for one in instructions:
        if runs and runs[-1][-1].end == one.address and one.address not in targets:
            runs[-1].append(one)
        else:
            runs.append([one])
    return runs


def _blank(run: Sequence[Instruction]) -> Patch:
    old = b"".join(one.code for one in run)
    return Patch(run[0].address, old, nops(len(old)))
