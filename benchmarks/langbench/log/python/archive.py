"""Encoded logs: two dictionaries and the messages of every file."""

from __future__ import annotations

from array import array

from langbench.log.python.counts import Counts
from langbench.log.python.tokens import (
    MOST_DIGITS,
    NUMBER_PLACEHOLDER,
    PLACEHOLDERS,
    VARIABLE,
    VARIABLE_PLACEHOLDER,
    number_code,
    number_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Match, Pattern, Union

    from langbench.log.python.tokens import CountedVariable

    Dictionary = Dict[bytes, int]  # each text with its id, in the order of ids
else:
    Dictionary = dict


class CountedDictionary(Dictionary):
    """A dictionary that counts its new entries, used if operations are counted. No tick line is
    possible inside the interpreter's own method."""

    made = 0  # entries since the last call of take_made

    def setdefault(self, text: bytes, new: int) -> int:
        if text in self:
            return self[text]
        self.made += 1  # tick
        self[text] = new
        return new

    def take_made(self) -> int:
        made, self.made = self.made, 0
        return made


class Messages:
    """An encoded file: the types of its lines, and the values of all their variables."""

    __slots__ = ("ended", "types", "values")

    def __init__(self, types: array[int], values: array[int], *, ended: bool) -> None:
        self.types = types
        self.values = values
        self.ended = ended  # whether a line feed ends the last line


class Parser:
    """Encodes the files of one worker into dictionaries: its own, or those of all workers."""

    def __init__(self, types: Dictionary, variables: Dictionary) -> None:
        self.types = types
        self.variables = variables
        self.files: List[Messages] = []
        self.counts = Counts()

    def parse(
        self, content: bytes, variable: Union[Pattern[bytes], CountedVariable] = VARIABLE
    ) -> None:
        counts = self.counts
        values = array("q")
        variables = self.variables

        def encode(match: Match[bytes]) -> bytes:
            sign, whole, fraction = match.groups(b"")
            if whole and len(whole) + len(fraction) <= MOST_DIGITS:
                counts.numbers += 1  # tick
                values.append(number_code(sign, whole, fraction))
                return b"\x12"
            counts.references += 1  # tick
            values.append(variables.setdefault(match.group(), len(variables)))
            return b"\x11"

        # No token contains a line feed, so the file can be searched as a whole.
        texts = variable.sub(encode, content).split(b"\n")
        ended = not texts[-1]
        if ended:
            texts.pop()
        types = self.types
        numbers = array("l")
        for text in texts:
            counts.lines += 1  # tick
            numbers.append(types.setdefault(text, len(types)))
        self.files.append(Messages(numbers, values, ended=ended))


class LogType:
    """A line without its variables, divided at their placeholders."""

    __slots__ = ("kinds", "statics", "text")

    def __init__(self, text: bytes) -> None:
        parts = PLACEHOLDERS.split(text)
        self.text = text
        self.statics = parts[::2]
        self.kinds = b"".join(parts[1::2])


class Archive:
    """The encoded files of all workers, with common dictionaries."""

    def __init__(self, parsers: List[Parser]) -> None:
        """The dictionaries of worker 0 become the common dictionaries. The entries of the other
        workers are added in order, unless all workers share their dictionaries already.
        """
        counts = self.counts = Counts()
        first = parsers[0]
        self.type_ids = first.types
        self.variable_ids = first.variables
        self.renumberings = {
            block: Renumbering(self, parser)
            for block, parser in enumerate(parsers)
            if parser.types is not first.types
        }
        if isinstance(self.type_ids, CountedDictionary):
            counts.log_types += self.type_ids.take_made()
        if isinstance(self.variable_ids, CountedDictionary):
            counts.variables += self.variable_ids.take_made()
        self.log_types = [LogType(text) for text in self.type_ids]
        self.variables = list(self.variable_ids)
        self.blocks = []
        for parser in parsers:
            self.blocks.append(parser.files)
            counts.take(parser.counts)

    def renumber(self, block: int) -> List[Messages]:
        """The messages of a worker, with common ids. The ids are assigned when this is first
        called."""
        files = self.blocks[block]
        renumbering = self.renumberings.pop(block, None)
        if renumbering is not None:
            for messages in files:
                renumbering.apply(self.log_types, messages)
        return files

    def decode(self, log_type: LogType, values: array[int]) -> bytes:
        parts = [log_type.statics[0]]
        for slot, kind in enumerate(log_type.kinds):
            value = values[slot]
            parts.append(
                number_text(value) if kind == NUMBER_PLACEHOLDER else self.variables[value]
            )
            parts.append(log_type.statics[slot + 1])
        return b"".join(parts)


class Renumbering:
    """The common ids for the entries of a worker's own dictionaries."""

    def __init__(self, archive: Archive, parser: Parser) -> None:
        types, variables = archive.type_ids, archive.variable_ids
        self.types = [types.setdefault(text, len(types)) for text in parser.types]
        self.variables = [variables.setdefault(text, len(variables)) for text in parser.variables]

    def apply(self, log_types: List[LogType], messages: Messages) -> None:
        values = messages.values
        at = 0
        for index, own in enumerate(messages.types):
            common = self.types[own]
            messages.types[index] = common
            for kind in log_types[common].kinds:
                if kind == VARIABLE_PLACEHOLDER:
                    values[at] = self.variables[values[at]]
                at += 1
