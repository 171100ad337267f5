"""What is written over checks: never more than their jumps and comparisons."""

from __future__ import annotations

from collections import Counter

import pytest

from probing.checks.recordings import code_of, each_version, listing_of, text_of
from runfair.probing.checks.check import (
    KINDS,
    NOPS,
    Patch,
    always,
    checks_of,
    inverse,
    nops,
    removal,
)
from runfair.probing.checks.listing import CodeObject, Exit, Function, Instruction

FUNCTION = Function("/a.js", "f", 0, "text")


def overwritten(code: CodeObject, patches: list[Patch]) -> list[Instruction]:
    return [
        one
        for one in code.instructions
        if any(patch.address <= one.address < patch.address + len(patch.old) for patch in patches)
    ]


def made_of(*lines: tuple[str, str]) -> CodeObject:
    """A code object of (bytes, text) from address 0 on, which is left for `wrong map` at 0x100. A
    text may end in an annotation."""
    instructions: list[Instruction] = []
    for code, text in lines:
        address = instructions[-1].end if instructions else 0
        words, mark, _ = text.partition(" ;;")
        instructions.append(Instruction(address, bytes.fromhex(code), words, bool(mark)))
    return CodeObject(
        id=0,
        kind="TURBOFAN",
        root=FUNCTION,
        functions=[FUNCTION],
        instructions=instructions,
        exits={0x100: Exit("wrong map", 1, FUNCTION)},
        positions=[],
    )


COMPARE = ("48394aff", "REX.W cmpq [rdx-0x1],rcx")
LEAVE = ("0f85f6000000", "jnz 0x100")
HOLE = ("49399598010000", "REX.W cmpq [r13+0x198] (root (the_hole_value)),rdx")
MOVE = ("498bd6", "REX.W movq rdx,r14")
WRITER = ("4883f902", "REX.W cmpq rcx,0x2")
READER = ("0f94c0", "setzl al")


def removed(*lines: tuple[str, str]) -> list[str]:
    """The texts of the overwritten instructions if all checks are removed."""
    code = made_of(*lines)
    return [one.text for one in overwritten(code, removal(code, list(checks_of(code))))]


@each_version
def test_the_kinds_of_a_recorded_code_object(version: str) -> None:
    found = Counter(check.kind for check in checks_of(code_of(version)))
    assert (found["bounds"], found["hole"], found["arithmetic"], found["type"]) == (2, 2, 1, 4)
    assert found["shape"] == {"node-20": 2, "node-26": 1}[version]
    holes = [check for check in checks_of(code_of(version)) if check.kind == "hole"]
    assert {check.function.name for check in holes} == {"element"}


@each_version
def test_patches_say_what_the_listing_says_and_keep_lengths(version: str) -> None:
    code = code_of(version)
    image = b"".join(one.code for one in code.instructions)
    patches = removal(code, list(checks_of(code)))
    for patch in patches:
        begin = patch.address - code.instructions[0].address
        assert image[begin : begin + len(patch.old)] == patch.old
        assert len(patch.new) == len(patch.old) and patch.new != patch.old
    targets = {one.target for one in code.instructions}
    inside = {at for one in patches for at in range(one.address + 1, one.address + len(one.old))}
    assert not targets & inside
    assert [one.new for one in inverse(patches)] == [one.old for one in patches]


@each_version
def test_annotated_instructions_are_never_overwritten(version: str) -> None:
    """Also if the comparison itself is annotated: the garbage collector reads its operand."""
    code = code_of(version)
    patched = overwritten(code, removal(code, list(checks_of(code))))
    assert patched and not any(one.annotated for one in patched)
    compare = next(one for one in patched if one.mnemonic == "cmpq")
    line = next(line for line in text_of(version).split("\n") if f"{compare.address:x} " in line)
    text = text_of(version).replace(line, f"{line}    ;; object: 0x1 <Map[32]>")
    (liar,) = listing_of(text).code_objects
    still = overwritten(liar, removal(liar, list(checks_of(liar))))
    assert {one.address for one in patched} - {one.address for one in still} == {compare.address}
    assert removed((COMPARE[0], f"{COMPARE[1]} ;; object: 0x1"), LEAVE, WRITER) == [LEAVE[1]]


def test_a_comparison_goes_only_if_nothing_else_reads_it() -> None:
    both = [COMPARE[1], LEAVE[1]]
    assert removed(COMPARE, LEAVE, WRITER) == both
    assert removed(COMPARE, LEAVE, MOVE, WRITER) == both
    assert removed(COMPARE, LEAVE, MOVE, READER) == [LEAVE[1]]
    assert removed(COMPARE, LEAVE, ("7f10", "jg 0x1c"), WRITER) == [LEAVE[1]]
    assert removed(COMPARE, LEAVE, ("eb03", "jmp 0xf"), READER, WRITER) == both
    assert removed(COMPARE, LEAVE, ("0f0b", "ud2"), WRITER) == [LEAVE[1]]
    assert removed(COMPARE, LEAVE) == [LEAVE[1]]
    assert removed(COMPARE, LEAVE, ("48c1fb20", "REX.W sarq rbx, 32")) == both
    assert removed(COMPARE, LEAVE, ("48d3fb", "REX.W sarq rbx, cl"), WRITER) == [LEAVE[1]]


def test_what_computes_a_value_stays() -> None:
    assert removed(("83c001", "addl rax,0x1"), LEAVE, WRITER) == [LEAVE[1]]


def test_a_hole_check_that_skips_a_move() -> None:
    """jnz over one move: all three go. Over more: the jump is always taken."""
    skips = ("7503", "jnz 0xc")
    assert removed(HOLE, skips, MOVE, WRITER) == [HOLE[1], skips[1], MOVE[1]]
    far = ("7506", "jnz 0xf")
    code = made_of(HOLE, far, MOVE, MOVE, WRITER)
    compare, jump = removal(code, list(checks_of(code)))
    assert (compare.new, jump.new) == (nops(7), bytes.fromhex("eb06"))
    assert removed(HOLE, far, MOVE, MOVE, READER) == [far[1]]


def test_a_loop_over_holes_is_no_check() -> None:
    assert removed(MOVE, HOLE, ("74f4", "jz 0x0"), WRITER) == []


def test_a_branch_of_the_program_is_no_check() -> None:
    code = made_of(COMPARE, LEAVE, WRITER)
    code.exits[0x100] = Exit("Insufficient type feedback for call", 1, FUNCTION)
    assert list(checks_of(code)) == []
    assert not any("Insufficient" in reason for reason in KINDS)


def test_nops_fill_any_length() -> None:
    assert [len(each) for each in NOPS] == list(range(1, 10))
    for length in range(1, 40):
        assert len(nops(length)) == length


@pytest.mark.parametrize(
    ("conditional", "taken"),
    [("7506", "eb06"), ("0f8507000000", "e90800000090"), ("0f84f6ffffff", "e9f7ffffff90")],
)
def test_a_jump_that_is_always_taken(conditional: str, taken: str) -> None:
    jump = Instruction(0, bytes.fromhex(conditional), "jnz 0x8", annotated=False)
    assert always(jump) == bytes.fromhex(taken)
