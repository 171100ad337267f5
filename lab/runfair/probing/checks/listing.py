"""The listing that V8 prints of its optimised code, read into code objects.

V8 writes it with `--print-opt-code --print-opt-source --trace-deopt`, in the same form from Node 20
to 26: the sources of a function and of all functions that were inlined into it, then the machine
code, then a line for each deoptimisation. Whatever differs from this form raises NotUnderstood.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import length_hint

from runfair.errors import UserMistake

ROOT = -1
"""The inlining id of the function that was compiled, as against those inlined into it."""

TURBOFAN = ("TURBOFAN", "TURBOFAN_JS")

_SOURCE = re.compile(r"--- FUNCTION SOURCE \((.*):([^:]*)\) id\{(\d+),(-?\d+)\} start\{(\d+)\} ---")
_INLINED = re.compile(r"INLINE \(.*\) id\{(\d+),(\d+)\} AS (\d+) AT <-?\d+:-?\d+>")
_FIELD = re.compile(r"(\w+) = (.*)")
_SIZE = re.compile(r"Instructions \(size = (\d+)\)")
_INSTRUCTION = re.compile(r"0x([0-9a-f]+) +([0-9a-f]+)  ([0-9a-f]+) +(\S.*)")
_COMMENT = re.compile(r" +;; debug: deopt (?:position, )?(script offset|inlining id|reason) '(.*)'")
_POSITION = re.compile(r" +([0-9a-f]+) +(\d+)(?: .*)?")
_BAILOUT = re.compile(r"\[(?:bailout|marking dependent code)\b.*?\bopt id (\d+)")
_BAILOUT_REASON = re.compile(r"reason: ([^)\]]*)")
_BUILTIN = re.compile(r"call 0x[0-9a-f]+ +\((\w+)\)")
_TARGET = re.compile(r"j[a-z]+ 0x([0-9a-f]+)")
_TABLE_ENTRY_BYTES = 8


class _Unfinished(Exception):
    """The text ends before a source or a code object is complete."""


class NotUnderstood(UserMistake):
    """V8's listing is not in the form that is known here."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"runfair does not understand the machine code that V8 prints ({problem}); use another "
            "version of Node"
        )


@dataclass(frozen=True)
class Instruction:
    """A machine instruction. `text` is V8's disassembly. `annotated`: the relocation information
    mentions it, so the garbage collector may read or write its operand. `target` is the address to
    which it jumps."""

    address: int
    code: bytes
    text: str
    annotated: bool

    @property
    def end(self) -> int:
        return self.address + len(self.code)

    @cached_property
    def mnemonic(self) -> str:
        words = self.text.removeprefix("REX.W ").split(maxsplit=1)
        return words[0] if words else ""

    @cached_property
    def target(self) -> int | None:
        found = _TARGET.match(self.text)
        return int(found[1], 16) if found else None


@dataclass(frozen=True)
class Function:
    """A function of the program. `start` is where its `text` begins in the script, in UTF-16 units,
    as are all positions."""

    path: str
    name: str
    start: int
    text: str

    @property
    def identity(self) -> tuple[str, str, int]:
        return self.path, self.name, self.start

    def contains(self, position: int) -> bool:
        return self.start <= position < self.start + len(self.text.encode("utf-16-le")) // 2


@dataclass(frozen=True)
class Exit:
    """A place at which the code gives up: why, and at which position of which function."""

    reason: str
    position: int
    function: Function


@dataclass(frozen=True)
class CodeObject:
    """A function's optimised code. `functions` are the function itself and all inlined ones.
    `exits` maps the address of each deoptimisation exit; `positions` are (address, position in the
    script), ascending."""

    id: int
    kind: str
    root: Function
    functions: Sequence[Function]
    instructions: Sequence[Instruction]
    exits: dict[int, Exit]
    positions: Sequence[tuple[int, int]]

    @cached_property
    def index(self) -> dict[int, int]:
        """The index of the instruction at each address."""
        return {one.address: index for index, one in enumerate(self.instructions)}

    @cached_property
    def builtins(self) -> Counter[str]:
        """How many calls of each of V8's built-in functions the code contains."""
        found = (_BUILTIN.match(one.text) for one in self.instructions)
        return Counter(match[1] for match in found if match is not None)

    def function_at(self, position: int) -> Function:
        """The innermost function that contains the position; the root if none does."""
        around = [one for one in self.functions if one.contains(position)]
        return min(around, key=lambda one: len(one.text), default=self.root)


@dataclass(frozen=True)
class Bailout:
    """A deoptimisation of the code object with this id."""

    id: int
    reason: str


@dataclass
class _Sources:
    """The sources printed so far, by the id of the compilation."""

    functions: dict[tuple[int, int], Function] = field(default_factory=dict)
    inlined: dict[tuple[int, int], int] = field(default_factory=dict)

    def function(self, compilation: int, inlining: int) -> Function:
        source = inlining
        if inlining != ROOT:
            source = self.inlined.get((compilation, inlining), ROOT - 1)
        found = self.functions.get((compilation, source))
        if found is None:
            raise NotUnderstood(
                f"for the compiled code {compilation}, V8 printed no source with the inlining id "
                f"{inlining}"
            )
        return found

    def of(self, compilation: int) -> list[Function]:
        return [one for (number, _), one in self.functions.items() if number == compilation]


class Listing:
    """Everything that V8 has printed so far. `events` holds code objects and deoptimisations in the
    order in which they happened."""

    def __init__(self) -> None:
        self.events: list[CodeObject | Bailout] = []
        self._sources = _Sources()
        self._unread = ""

    def feed(self, text: str) -> None:
        """Reads what V8 printed since the last call. V8 may still be writing, so a part without its
        end is kept for the next call. Raises NotUnderstood."""
        whole, _, self._unread = (self._unread + text).rpartition("\n")
        lines = whole.split("\n")
        following = iter(lines)
        for line in following:
            place = len(lines) - length_hint(following) - 1
            try:
                self._read(line, following)
            except _Unfinished:
                self._unread = "\n".join([*lines[place:], self._unread])
                return

    def _read(self, line: str, lines: Iterator[str]) -> None:
        """Reads a line, and the lines that belong to it."""
        if found := _SOURCE.fullmatch(line):
            path, name, compilation, source, start = found.groups()
            function = Function(path, name, int(start), _source_text(lines))
            self._sources.functions[int(compilation), int(source)] = function
        elif found := _INLINED.fullmatch(line):
            compilation, source, inlining = found.groups()
            self._sources.inlined[int(compilation), int(inlining)] = int(source)
        elif line == "--- Optimized code ---":
            code = _code_object(lines, self._sources)
            if code is not None:
                self._add(code)
        elif found := _BAILOUT.match(line):
            reason = _BAILOUT_REASON.search(line)
            self.events.append(Bailout(int(found[1]), reason[1] if reason else ""))
        elif line.startswith("--- FUNCTION SOURCE"):
            raise NotUnderstood(f"line {line[:80]!r}")

    def _add(self, code: CodeObject) -> None:
        if any(one.id == code.id for one in self.code_objects):
            raise NotUnderstood(
                "two threads compiled code, but only programs with one thread are supported"
            )
        self.events.append(code)

    @property
    def code_objects(self) -> list[CodeObject]:
        return [event for event in self.events if isinstance(event, CodeObject)]

    def bailouts(self, code: CodeObject) -> list[str]:
        """The reasons for which this code object was left, in their order."""
        return [
            event.reason
            for event in self.events
            if isinstance(event, Bailout) and event.id == code.id
        ]

    def in_use(self) -> list[CodeObject]:
        """The code objects that V8 has not replaced. If V8 deoptimised a code object and then
        compiled the same function again, the code object is replaced. If V8 deoptimised it only
        after that, it still runs."""
        newest: dict[tuple[str, str, int], int] = {}
        left: dict[int, int] = {}
        for time, event in enumerate(self.events):
            if isinstance(event, CodeObject):
                newest[event.root.identity] = time
            else:
                left[event.id] = time
        return [
            code
            for code in self.code_objects
            if left.get(code.id, len(self.events)) > newest[code.root.identity]
        ]


def _source_text(lines: Iterator[str]) -> str:
    text: list[str] = []
    for line in lines:
        if line == "--- END ---":
            return "\n".join(text)
        text.append(line)
    raise _Unfinished


def _code_object(lines: Iterator[str], sources: _Sources) -> CodeObject | None:
    """The code object whose heading was just read; None if another compiler than TurboFan made
    it."""
    fields: dict[str, str] = {}
    body: list[str] = []
    for line in lines:
        if line == "--- End code ---":
            break
        if not body and (found := _FIELD.fullmatch(line)):
            fields[found[1]] = found[2]
        elif line or body:
            body.append(line)
    else:
        raise _Unfinished
    if fields.get("kind") not in TURBOFAN:
        return None
    if not fields.get("optimization_id", "").isdecimal():
        raise NotUnderstood("a code object has no optimization_id")
    number = int(fields["optimization_id"])
    root = sources.function(number, ROOT)
    instructions, comments = _instructions(body)
    exits = {address: _exit(number, found, sources) for address, found in comments.items() if found}
    return CodeObject(
        id=number,
        kind=fields["kind"],
        root=root,
        functions=sources.of(number),
        instructions=instructions,
        exits=exits,
        positions=_positions(body, instructions[0].address),
    )


def _instructions(
    body: Sequence[str],
) -> tuple[list[Instruction], dict[int, dict[str, str]]]:
    """The instructions, and the comments on each by its address. The instructions must follow one
    another without a gap and have the stated size."""
    size = _SIZE.fullmatch(body[0]) if body else None
    if size is None:
        raise NotUnderstood("a code object has no instructions")
    found: list[Instruction] = []
    comments: dict[int, dict[str, str]] = {}
    begin = end = -1
    for line in body[1:]:
        if not line:
            break
        comment = _COMMENT.search(line)
        parts = _INSTRUCTION.fullmatch(line)
        if parts is None:
            if not found or not line.lstrip().startswith(";;"):
                raise NotUnderstood(f"line {line[:80]!r}")
            if comment:
                comments[found[-1].address][comment[1]] = comment[2]
            continue
        address, offset = int(parts[1], 16), int(parts[2], 16)
        begin = address if begin < 0 else begin
        end = address if end < 0 else end
        if address != end or address - begin != offset:
            raise NotUnderstood(
                f"the instruction at {address:#x} does not begin where the previous instruction "
                "ends"
            )
        if parts[4].startswith("jump table entry"):
            end += _TABLE_ENTRY_BYTES
            continue
        if len(parts[3]) % 2:
            raise NotUnderstood(f"line {line[:80]!r}")
        text, mark, _ = parts[4].partition(";;")
        found.append(Instruction(address, bytes.fromhex(parts[3]), text.strip(), bool(mark)))
        end = found[-1].end
        comments[address] = {comment[1]: comment[2]} if comment else {}
    if end - begin != int(size[1]) or not found:
        raise NotUnderstood(
            f"a code object has {size[1]} bytes, but its listing has {end - begin} bytes"
        )
    return found, comments


def _exit(number: int, comments: dict[str, str], sources: _Sources) -> Exit:
    try:
        position = int(comments["script offset"], 16)
        inlining = int(comments["inlining id"], 16)
        reason = comments["reason"]
    except (KeyError, ValueError):
        raise NotUnderstood("a deoptimisation exit lacks its position or its reason") from None
    return Exit(reason, position, sources.function(number, ROOT if inlining >> 31 else inlining))


def _positions(body: Sequence[str], begin: int) -> list[tuple[int, int]]:
    if "Source positions:" not in body:
        return []
    found: list[tuple[int, int]] = []
    for line in body[body.index("Source positions:") + 2 :]:
        parts = _POSITION.fullmatch(line)
        if parts is None:
            break
        found.append((begin + int(parts[1], 16), int(parts[2])))
    return sorted(found)
