"""A parser of JSON that looks at one character after the other, each a string."""

from __future__ import annotations

from awfy.awfy.python.counts import counts
from awfy.awfy.python.json_value import JsonArray, JsonFields, JsonLiteral, JsonNumber, JsonText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from awfy.awfy.python.json_value import JsonValue


class JsonParser:
    __slots__ = ("input", "index", "current", "captured", "capture_start")

    def __init__(self, text: str) -> None:
        self.input = text
        self.index = -1
        self.current: str | None = None  # None at the end
        self.captured = ""
        self.capture_start = 0

    def parse(self) -> JsonValue:
        self.read()
        self.skip_space()
        value = self.value()
        self.skip_space()
        if self.current is not None:
            raise self.unexpected("the end")
        return value

    def read(self) -> None:
        counts.steps += 1  # tick
        self.index += 1
        self.current = self.input[self.index] if self.index < len(self.input) else None

    def is_(self, character: str) -> bool:
        return character == self.current

    def skip(self, character: str) -> bool:
        """Read the character if it is there. Returns whether it was."""
        if not self.is_(character):
            return False
        self.read()
        return True

    def require(self, character: str) -> None:
        if not self.skip(character):
            raise self.unexpected(character)

    def skip_space(self) -> None:
        while self.is_(" ") or self.is_("\t") or self.is_("\n") or self.is_("\r"):
            self.read()

    def unexpected(self, wanted: str) -> RuntimeError:
        return RuntimeError(f"no {wanted} at character {self.index}")

    def value(self) -> JsonValue:  # noqa: PLR0911 - one for each kind, as in each language
        if self.is_("n"):
            return self.literal("null")
        if self.is_("t"):
            return self.literal("true")
        if self.is_("f"):
            return self.literal("false")
        if self.is_('"'):
            return JsonText(self.text())
        if self.is_("["):
            return self.array()
        if self.is_("{"):
            return self.object()
        if self.is_("-") or self.is_digit():
            return self.number()
        raise self.unexpected("value")

    def literal(self, name: str) -> JsonValue:
        for i in range(len(name)):
            self.require(name[i])
        return JsonLiteral(name)

    def array(self) -> JsonValue:
        self.read()
        array = JsonArray()
        self.skip_space()
        if self.skip("]"):
            return array
        while True:
            self.skip_space()
            array.add(self.value())
            self.skip_space()
            if not self.skip(","):
                break
        self.require("]")
        return array

    def object(self) -> JsonValue:
        self.read()
        fields = JsonFields()
        self.skip_space()
        if self.skip("}"):
            return fields
        while True:
            self.skip_space()
            if not self.is_('"'):
                raise self.unexpected("name")
            name = self.text()
            self.skip_space()
            self.require(":")
            self.skip_space()
            fields.add(name, self.value())
            self.skip_space()
            if not self.skip(","):
                break
        self.require("}")
        return fields

    def text(self) -> str:
        self.read()
        self.start_capture()
        while not self.is_('"'):
            if self.current is None:
                raise self.unexpected("end of a string")
            if self.is_("\\"):
                self.pause_capture()
                self.escape()
                self.start_capture()
            else:
                self.read()
        text = self.end_capture()
        self.read()
        return text

    def escape(self) -> None:
        self.read()
        if self.is_('"') or self.is_("/") or self.is_("\\"):
            self.captured += str(self.current)
        elif self.is_("b"):
            self.captured += "\b"
        elif self.is_("f"):
            self.captured += "\f"
        elif self.is_("n"):
            self.captured += "\n"
        elif self.is_("r"):
            self.captured += "\r"
        elif self.is_("t"):
            self.captured += "\t"
        else:
            raise self.unexpected("escape sequence")
        self.read()

    def number(self) -> JsonValue:
        self.start_capture()
        self.skip("-")
        is_zero = self.is_("0")
        self.require_digit()
        if not is_zero:
            self.digits()
        if self.skip("."):
            self.require_digit()
            self.digits()
        if self.skip("e") or self.skip("E"):
            if not self.skip("+"):
                self.skip("-")
            self.require_digit()
            self.digits()
        return JsonNumber(self.end_capture())

    def is_digit(self) -> bool:
        return (
            self.is_("0")
            or self.is_("1")
            or self.is_("2")
            or self.is_("3")
            or self.is_("4")
            or self.is_("5")
            or self.is_("6")
            or self.is_("7")
            or self.is_("8")
            or self.is_("9")
        )

    def digits(self) -> None:
        while self.is_digit():
            self.read()

    def require_digit(self) -> None:
        if not self.is_digit():
            raise self.unexpected("digit")
        self.read()

    def start_capture(self) -> None:
        self.capture_start = self.index

    def pause_capture(self) -> None:
        self.captured += self.input[self.capture_start : self.index]

    def end_capture(self) -> str:
        self.pause_capture()
        captured = self.captured
        self.captured = ""
        return captured
