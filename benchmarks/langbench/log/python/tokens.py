"""Tokens, numbers and placeholders: langbench/log/contract.md, "Tokens"."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, List, Match

    from langbench.log.python.counts import Counts

VARIABLE_PLACEHOLDER = 0x11
NUMBER_PLACEHOLDER = 0x12
PLACEHOLDERS = re.compile(rb"([\x11\x12])")

TOKEN = re.compile(rb"[A-Za-z0-9+\-./_\\\x80-\xff\x11\x12]+")
MOST_DIGITS = 13

# One search finds the next variable and skips the tokens before it. A variable is a number (in
# three groups), a token with a digit or a placeholder, or a token with a letter after "=".
_BYTE = rb"[A-Za-z0-9+\-./_\\\x80-\xff\x11\x12]"
_BEFORE_DIGIT = rb"[A-Za-z+\-./_\\\x80-\xff]*"
_BEFORE_LETTER = rb"[+\-./_\\\x80-\xff]*"
VARIABLE = re.compile(
    rb"(?<!" + _BYTE + rb")(?:"
    rb"(-?)([0-9]{1,13})(?:\.([0-9]{1,12}))?(?!" + _BYTE + rb")"
    rb"|" + _BEFORE_DIGIT + rb"[0-9\x11\x12]" + _BYTE + rb"*"
    rb"|(?<==)" + _BEFORE_LETTER + rb"[A-Za-z]" + _BYTE + rb"*)"
)


class CountedVariable:
    """The expression VARIABLE, used if operations are counted. The engine itself skips other
    tokens, and no tick line is possible inside the engine."""

    def __init__(self, counts: Counts) -> None:
        self.counts = counts

    def sub(self, encode: Callable[[Match[bytes]], bytes], content: bytes) -> bytes:
        parts: List[bytes] = []
        done = 0
        for token in TOKEN.finditer(content):
            self.counts.tokens += 1  # tick
            variable = VARIABLE.fullmatch(content, *token.span())
            if variable:
                parts += content[done : variable.start()], encode(variable)
                done = variable.end()
        return b"".join([*parts, content[done:]])


def number_code(sign: bytes, whole: bytes, fraction: bytes) -> int:
    digits = whole + fraction
    return (int(digits) << 4 | len(digits)) << 5 | len(fraction) << 1 | len(sign)


def number_text(code: int) -> bytes:
    digits = b"%0*d" % (code >> 5 & 15, code >> 9)
    scale = code >> 1 & 15
    if scale:
        digits = digits[:-scale] + b"." + digits[-scale:]
    return b"-" + digits if code & 1 else digits
