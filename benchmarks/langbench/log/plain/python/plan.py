"""The search for one query in the index."""

from langbench.log.plain.python.archive import Archive
from langbench.log.plain.python.counts import counts
from langbench.log.plain.python.query import Query
from langbench.log.plain.python.tokens import NUMBER_KIND, PLACEHOLDER, REFERENCE_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Set, Tuple


class Plan:
    def __init__(self, query: Query, archive: Archive) -> None:
        self.query = query
        self.archive = archive
        self.wanted = []
        for text in archive.types:
            counts.scanned += 1  # tick
            self.wanted.append(matches(text, query.fragments))
        self.conditions: "List[Tuple[int, Set[int]]]" = []
        for code in query.numbers:
            self.conditions.append((NUMBER_KIND, {code}))
        for text in query.variables:
            known = archive.variable_ids.get(text)
            self.conditions.append((REFERENCE_KIND, set() if known is None else {known}))
        for part in query.parts:
            fulfilling = set()
            for number, text in enumerate(archive.variables):
                counts.scanned += 1  # tick
                if part.is_part_of(text):
                    fulfilling.add(number)
            self.conditions.append((REFERENCE_KIND, fulfilling))

    def search(self, messages: "List[Tuple[int, List[int]]]") -> "List[bytes]":
        found = []
        for type_id, values in messages:
            if self.wanted[type_id] and self.fulfilled(type_id, values):
                counts.candidates += 1  # tick
                line = self.archive.decode(type_id, values)
                if matches(line, self.query.pieces):
                    counts.matches += 1  # tick
                    found.append(line)
        return found

    def fulfilled(self, type_id: int, values: "List[int]") -> bool:
        if not self.conditions:
            return True
        kinds = [one.group()[0] for one in PLACEHOLDER.finditer(self.archive.types[type_id])]
        for wanted, allowed in self.conditions:
            if not any(
                kind == wanted and value in allowed
                for kind, value in zip(kinds, values)  # noqa: B905 - strict came with 3.10
            ):
                return False
        return True


def matches(text: bytes, pieces: "List[bytes]") -> bool:
    start = 0
    for piece in pieces:
        at = text.find(piece, start)
        if at < 0:
            return False
        start = at + len(piece)
    return True
