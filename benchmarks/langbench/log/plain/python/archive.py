"""The encoded content of the files."""

from langbench.log.plain.python.counts import counts
from langbench.log.plain.python.folder import lines_of
from langbench.log.plain.python.tokens import (
    PLACEHOLDER,
    TOKEN,
    is_variable,
    number_code,
    number_text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Match, Tuple


class Archive:
    """The dictionaries, and the messages of every file. A message is a type and its values."""

    def __init__(self) -> None:
        self.types: "List[bytes]" = []
        self.type_ids: "Dict[bytes, int]" = {}
        self.variables: "List[bytes]" = []
        self.variable_ids: "Dict[bytes, int]" = {}
        self.files: "List[List[Tuple[int, List[int]]]]" = []

    def type_id(self, text: bytes) -> int:
        if text not in self.type_ids:
            counts.log_types += 1  # tick
            self.type_ids[text] = len(self.types)
            self.types.append(text)
        return self.type_ids[text]

    def variable_id(self, text: bytes) -> int:
        if text not in self.variable_ids:
            counts.variables += 1  # tick
            self.variable_ids[text] = len(self.variables)
            self.variables.append(text)
        return self.variable_ids[text]

    def parse(self, content: bytes) -> None:
        messages = []
        values: "List[int]" = []

        def encode(token: "Match[bytes]") -> bytes:
            counts.tokens += 1  # tick
            text = token.group()
            if not is_variable(token.string, token.start(), text):
                return text
            code = number_code(text)
            if code is not None:
                counts.numbers += 1  # tick
                values.append(code)
                return b"\x12"
            counts.references += 1  # tick
            values.append(self.variable_id(text))
            return b"\x11"

        for line in lines_of(content):
            counts.lines += 1  # tick
            values = []
            text = TOKEN.sub(encode, line)
            messages.append((self.type_id(text), values))
        self.files.append(messages)

    def decode(self, type_id: int, values: "List[int]") -> bytes:
        left = iter(values)

        def text_of(placeholder: "Match[bytes]") -> bytes:
            value = next(left)
            if placeholder.group() == b"\x12":
                return number_text(value)
            return self.variables[value]

        return PLACEHOLDER.sub(text_of, self.types[type_id])
