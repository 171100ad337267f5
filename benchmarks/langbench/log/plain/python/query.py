"""Queries, which are divided at their asterisks and at incomplete tokens."""

import re

from langbench.log.plain.python.tokens import DIGIT, LETTER, TOKEN, is_variable, number_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Pattern


class Part:
    """An incomplete token of the query that is certainly part of a variable."""

    def __init__(self, text: bytes, begins: bool, ends: bool) -> None:  # noqa: FBT001
        self.text = text
        self.begins = begins
        self.ends = ends

    def is_part_of(self, variable: bytes) -> bool:
        if self.begins:
            return variable.startswith(self.text)
        if self.ends:
            return variable.endswith(self.text)
        return self.text in variable


class Query:
    def __init__(self, text: str) -> None:
        self.pieces = [piece for piece in text.encode("ascii").split(b"*") if piece]
        self.fragments: "List[bytes]" = []
        self.numbers: "List[int]" = []
        self.variables: "List[bytes]" = []
        self.parts: "List[Part]" = []
        for piece in self.pieces:
            self.cut(piece)

    def cut(self, piece: bytes) -> None:
        fragment = b""
        done = 0
        for token in TOKEN.finditer(piece):
            start, end = token.span()
            fragment += piece[done:start]
            done = end
            if start > 0 and end < len(piece):
                fragment += self.whole(piece, start, token.group())
            else:
                self.add(fragment)
                fragment = b""
                self.part(piece, start, end)
        self.add(fragment + piece[done:])

    def add(self, fragment: bytes) -> None:
        if fragment:
            self.fragments.append(fragment)

    def whole(self, piece: bytes, start: int, token: bytes) -> bytes:
        if not is_variable(piece, start, token):
            return token
        code = number_code(token)
        if code is not None:
            self.numbers.append(code)
            return b"\x12"
        self.variables.append(token)
        return b"\x11"

    def part(self, piece: bytes, start: int, end: int) -> None:
        token = piece[start:end]
        if re.fullmatch(rb"[0-9.\-]+", token):
            return
        behind_equals = piece[start - 1 : start] == b"=" if start > 0 else False
        if DIGIT.search(token) or (behind_equals and LETTER.search(token)):
            self.parts.append(Part(token, start > 0, end < len(piece)))

    def expression(self) -> "Pattern[bytes]":
        special = re.compile(rb"[\\^$.|?+()\[\]{}]")
        return re.compile(rb"[^\n]*".join(special.sub(rb"\\\g<0>", one) for one in self.pieces))
